/** Twenty Changes that race in a lane behind one that fails, where checks do not take as long as each other. */
import { type Bench, figure, ratioAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { openRaces, racers, told, uneven, whole } from "../parts/LaneRace.ts"
import { across, inTurn, lastly, median, worst } from "../Rounds.ts"

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const { close, race } = await openRaces(folder, 16)
    const one = async (round: number) =>
      whole(await race(`race-${round}`, { bad: [0], inOrder: true, pace: uneven(round) }), racers - 1)
    const { raced } = await lastly(inTurn(rounds, { raced: one }, say), close)
    const last = raced.map((each) => each.last)
    const slowest = raced.map(({ verifications }) => worst(verifications))
    const runs = raced.map((each) => each.runs)
    return {
      figures: [
        figure({
          name: "lane-bad-in-front",
          value: median(last),
          unit: "ms",
          floor: "the slowest verification",
          floorValue: median(slowest),
          ratio: across(last, slowest),
          target: ratioAtMost(2.5)
        })
      ],
      notes: [
        `Behind a bad one in 16 slots the last landed after ${told(last)}, the slowest verifications took ${told(slowest)}; runs of the check: ${runs.join(", ")}.`
      ]
    }
  })
