/** Twenty Changes that race in a lane: how long until the last has landed, and what a bad one in front costs. */
import { join } from "node:path"
import { type Bench, figure, type Measured, ratioAtMost, valueAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { openRaces, type Raced, racers, told, whole } from "../parts/LaneRace.ts"
import { together } from "../Parts.ts"
import { across, inTurn, lastly, median, worst } from "../Rounds.ts"

const lastOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> => all.map(({ last }) => last)
const slowestOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> =>
  all.map(({ verifications }) => worst(verifications))
const middleOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> =>
  all.map(({ verifications }) => median(verifications))
const runsOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> => all.map(({ runs }) => runs)

const inTwenty = (races: ReadonlyArray<Raced>): Measured => ({
  figures: [
    figure({
      name: "lane-20-slots-beyond",
      value: worst(races.map(({ last, verifications }) => last - worst(verifications))),
      unit: "ms",
      floor: "the slowest verification",
      floorValue: median(slowestOf(races)),
      ratio: across(lastOf(races), slowestOf(races)),
      target: valueAtMost(2000, "ms")
    })
  ],
  notes: [
    `In 20 slots the last landed after ${told(lastOf(races))}, the slowest verifications took ${told(slowestOf(races))}; runs of the check: ${runsOf(races).join(", ")}.`
  ]
})

const inFour = (races: ReadonlyArray<Raced>): Measured => ({
  figures: [
    figure({
      name: "lane-4-slots",
      value: median(lastOf(races)),
      unit: "ms",
      floor: "the median verification",
      floorValue: median(middleOf(races)),
      ratio: across(lastOf(races), middleOf(races)),
      target: ratioAtMost(6.5)
    })
  ],
  notes: [
    `In 4 slots the last landed after ${told(lastOf(races))}, the median verifications took ${told(middleOf(races))}; runs of the check: ${runsOf(races).join(", ")}.`
  ]
})

const behindBad = (races: ReadonlyArray<Raced>): Measured => ({
  figures: [
    figure({
      name: "lane-bad-in-front-runs",
      value: worst(runsOf(races)),
      unit: "runs",
      floor: "one for each",
      floorValue: racers,
      ratio: median(runsOf(races)) / racers,
      target: valueAtMost(40, "runs")
    })
  ],
  notes: [
    `Behind a bad one in 16 slots the last landed after ${told(lastOf(races))}, the slowest verifications took ${told(slowestOf(races))}.`
  ]
})

/** Each race, by the figure that it makes: in so many slots, with a first one that fails or without, and what is told. */
const races = {
  "lane-20-slots-beyond": { slots: 20, bad: [], part: inTwenty },
  "lane-4-slots": { slots: 4, bad: [], part: inFour },
  "lane-bad-in-front-runs": { slots: 16, bad: [0], part: behindBad }
} as const
type Name = keyof typeof races
const names = Object.keys(races) as ReadonlyArray<Name>

export const bench: Bench = ({ rounds, say, wants }) =>
  withFolder(async (folder) => {
    const wanted = names.filter((name) => wants(name))
    const opened = await Promise.all(wanted.map((name) => openRaces(join(folder, name), races[name].slots)))
    const sides = Object.fromEntries(
      wanted.map((name, index) => [
        name,
        async (round: number) =>
          whole(await opened[index]!.race(`race-${round}`, { bad: races[name].bad }), racers - races[name].bad.length)
      ])
    )
    const raced = await lastly(inTurn(rounds, sides, say), () => Promise.all(opened.map(({ close }) => close())))
    return together(wanted.map((name) => races[name].part(raced[name]!)))
  })
