/** What the lane costs: evidence that counts again, a chain that lands, steps of a long line, and a swap beside it. */
import { join } from "node:path"
import { startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { figure, type Measured, ratioAtMost, type RunOptions, valueAtMost } from "../Figure.ts"
import { replay } from "../parts/BareCommits.ts"
import * as LaneOnServer from "../parts/LaneOnServer.ts"
import * as LongLane from "../parts/LongLane.ts"
import * as PairedPromotions from "../parts/PairedPromotions.ts"
import * as UnlanedPromotions from "../parts/UnlanedPromotions.ts"
import { inParts } from "../Parts.ts"
import { across, lastly, median, worst } from "../Rounds.ts"

/** Differences of a few hundredths are asked for: fewer pairs do not show them. */
const leastPairs = 15
/** A round of the chain waits most of a minute for its checks. */
const chainRounds = 3

const percentile = (values: ReadonlyArray<number>, at: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))]!
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, each) => total + each, 0)

/** Runs a piece of work so many times, after once to warm up. */
const repeated = async <A>(
  name: string,
  count: number,
  say: RunOptions["say"],
  work: (round: number) => Promise<A>
) => {
  const found: Array<A> = []
  for (let round = 0; round <= count; round++) {
    say(round === 0 ? `${name}: warming up` : `${name}: round ${round} of ${count}`)
    const one = await work(round)
    if (round > 0) found.push(one)
  }
  return found
}

/** Steps of a line of a hundred, and the rows of their commits by hand. */
const stepping = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const runs = await repeated("steps", rounds, say, async (round) => {
    const steps = await LongLane.steps(join(folder, `steps-${round}.db`))
    const bare = replay(
      join(folder, `bare-steps-${round}.db`),
      steps.flatMap(({ commits }) => commits)
    )
    return { steps, bare }
  })
  const steps = runs.flatMap((each) => each.steps)
  const bare = runs.flatMap((each) => each.bare)
  const took = (of: ReadonlyArray<LongLane.Step>) => of.map(({ ms }) => ms)
  const p99 = (values: ReadonlyArray<number>) => percentile(values, 0.99)
  const commits = sum(steps.map((each) => each.commits.length))
  return {
    figures: [
      figure({
        name: "lane-step-p99",
        value: p99(took(steps)),
        unit: "ms",
        floor: "p99 of its commits, each by hand",
        floorValue: p99(bare),
        ratio: across(
          runs.map((each) => p99(took(each.steps))),
          runs.map((each) => p99(each.bare))
        ),
        target: valueAtMost(10, "ms")
      }),
      figure({
        name: "lane-step",
        value: sum(took(steps)) / steps.length,
        unit: "ms",
        floor: "the rows of its commits by hand",
        floorValue: sum(bare) / steps.length,
        ratio: across(
          runs.map((each) => sum(took(each.steps))),
          runs.map((each) => sum(each.bare))
        )
      })
    ],
    notes: [
      `${steps.length} steps of a line of at least ${LongLane.entries} entries, ${(commits / steps.length).toFixed(1)} commits each; ${median(steps.map(({ cpuMs }) => cpuMs)).toFixed(1)} ms of CPU in the middle.`
    ]
  }
}

/** A swap of a Project whose Policy has the lane off, decided as it is now and as it was before there was a lane. */
const swapping = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const pairs = Math.max(rounds, leastPairs)
  const runs = await PairedPromotions.rounds(folder, UnlanedPromotions.ways, pairs, say)
  const { before, off } = UnlanedPromotions.sizes()
  const more = `${off.writes - before.writes} rows, ${off.commands - before.commands} commands, ${off.expects - before.expects} conditions and ${await UnlanedPromotions.readsOff()} reads`
  return {
    figures: [
      figure({
        name: "promotion-lane-off",
        floor: "the same, decided as before there was a lane",
        ...PairedPromotions.against(runs, "wall"),
        target: ratioAtMost(1.03)
      }),
      figure({
        name: "promotion-lane-off-cpu",
        floor: "CPU of the same, decided as before there was a lane",
        ...PairedPromotions.against(runs, "cpu")
      })
    ],
    notes: [`With the lane off a promotion owes ${more} more. ${pairs} rounds of ${PairedPromotions.perRound} pairs.`]
  }
}

/** A chain that lands, and trees that are known, on one server. */
const serving = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const commits = await LongLane.landingCommits(join(folder, "landing.db"))
  const server = await startServer({
    data: join(folder, "data"),
    environment: { PAWL_APP_BUILDS_PER_DAY: "100000", PAWL_SANDBOXES_AT_ONCE: "4" }
  })
  // Whatever ends this process, the server goes with it.
  const kill = () => void server.child.kill("SIGKILL")
  process.once("exit", kill)
  const measured = async () => {
    const knownTree = await LaneOnServer.knownTrees(server.api)
    const known = await repeated("known tree", rounds, say, knownTree)
    const chains = await repeated("chain", Math.min(rounds, chainRounds), say, async (round) => ({
      ms: await LaneOnServer.landChain(server.api, round),
      bareMs: sum(replay(join(folder, `bare-chain-${round}.db`), commits))
    }))
    return { known, chains }
  }
  const { chains, known } = await lastly(measured(), async () => {
    await server.stop()
    process.off("exit", kill)
  })
  const [again, first] = [known.map(({ againMs }) => againMs), known.map(({ firstMs }) => firstMs)]
  const [landed, bare] = [chains.map(({ ms }) => ms), chains.map(({ bareMs }) => bareMs)]
  const used = known.map(({ builds, sandboxMs }) => sandboxMs + builds)
  return {
    figures: [
      figure({
        name: "known-tree",
        value: worst(again),
        unit: "ms",
        floor: "its checks for the first time",
        floorValue: median(first),
        ratio: across(again, first),
        target: valueAtMost(100, "ms")
      }),
      figure({
        name: "known-tree-used",
        value: worst(used),
        unit: "ms and builds",
        floor: "checks that counted again",
        floorValue: 2,
        ratio: worst(used) / 2,
        target: valueAtMost(0, "ms and builds")
      }),
      figure({
        name: "chain-of-20",
        value: median(landed),
        unit: "ms",
        floor: "the rows of its commits by hand",
        floorValue: median(bare),
        ratio: across(landed, bare),
        target: valueAtMost(1000, "ms")
      })
    ],
    notes: [
      `A chain lands by ${commits.length} commits. Each of ${chains.length}: ${landed.map((ms) => ms.toFixed(0)).join(", ")} ms.`
    ]
  }
}

export const bench = inParts([
  [["promotion-lane-off", "promotion-lane-off-cpu"], swapping],
  [["lane-step-p99", "lane-step"], stepping],
  [["known-tree", "known-tree-used", "chain-of-20"], serving]
])
