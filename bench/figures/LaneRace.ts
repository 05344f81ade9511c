/** Twenty Changes that race in a lane: how long until the last has landed, and what a bad one in front costs. */
import { join } from "node:path"
import { type Bench, figure, ratioAtMost, valueAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { openRaces, type Raced, racers } from "../parts/LaneRace.ts"
import { across, inTurn, lastly, median, worst } from "../Rounds.ts"

const lastOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> => all.map(({ last }) => last)
const slowestOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> =>
  all.map(({ verifications }) => worst(verifications))
const middleOf = (all: ReadonlyArray<Raced>): ReadonlyArray<number> =>
  all.map(({ verifications }) => median(verifications))
const told = (values: ReadonlyArray<number>): string => values.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(", ")

/** A race in which not all landed that must is no figure. */
const whole = (raced: Raced, landed: number): Raced => {
  if (raced.landed !== landed) throw new Error(`${raced.landed} landed, of ${landed}`)
  return raced
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const open = async (slots: number) => openRaces(join(folder, String(slots)), slots)
    const [twenty, four, sixteen] = [await open(20), await open(4), await open(16)]
    const sides = {
      twenty: async (round: number) => whole(await twenty.race(`clean-${round}`), racers),
      four: async (round: number) => whole(await four.race(`clean-${round}`), racers),
      bad: async (round: number) => whole(await sixteen.race(`bad-${round}`, [0]), racers - 1)
    }
    const times = await lastly(inTurn<keyof typeof sides, Raced>(rounds, sides, say), () =>
      Promise.all([twenty, four, sixteen].map(({ close }) => close()))
    )
    const beyond = times.twenty.map(({ last, verifications }) => last - worst(verifications))
    const runs = times.bad.map((raced) => raced.runs)
    return {
      figures: [
        figure({
          name: "lane-20-slots-beyond",
          value: worst(beyond),
          unit: "ms",
          floor: "the slowest verification",
          floorValue: median(slowestOf(times.twenty)),
          ratio: across(lastOf(times.twenty), slowestOf(times.twenty)),
          target: valueAtMost(2000, "ms")
        }),
        figure({
          name: "lane-4-slots",
          value: median(lastOf(times.four)),
          unit: "ms",
          floor: "the median verification",
          floorValue: median(middleOf(times.four)),
          ratio: across(lastOf(times.four), middleOf(times.four)),
          target: ratioAtMost(6.5)
        }),
        figure({
          name: "lane-bad-in-front-runs",
          value: worst(runs),
          unit: "runs",
          floor: "one for each",
          floorValue: racers,
          ratio: median(runs) / racers,
          target: valueAtMost(40, "runs")
        })
      ],
      notes: [
        `The last landed, in 20 slots: ${told(lastOf(times.twenty))}; in 4: ${told(lastOf(times.four))}; behind a bad one in 16: ${told(lastOf(times.bad))}.`,
        `The slowest verifications in 20 slots: ${told(slowestOf(times.twenty))}; the medians in 4: ${told(middleOf(times.four))}.`,
        `Runs where all are clean: ${[...times.twenty, ...times.four].map((raced) => raced.runs).join(", ")}.`
      ]
    }
  })
