/** Changes that race in the lane of a real server, whose checks sleep: whether cores are free matters little. */
import { setTimeout as pause } from "node:timers/promises"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import * as Lane from "../../packages/server/test/e2e/kit/LaneFacts.ts"
import { startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"

/** How many race. */
export const racers = 20

const sleepSeconds = 5
const check = `sleep ${sleepSeconds}; test "$(cat verdict.txt)" = good`

/** What a race came to. Times are in ms. */
export interface Raced {
  /** From the first request until the last has landed. */
  readonly last: number
  /** Of each Candidate that was checked: from the beginning of its first check to the end of its last. */
  readonly verifications: ReadonlyArray<number>
  readonly landed: number
  readonly runs: number
}

/** From the first check of each Candidate to its last. */
const verificationsOf = ({ evidence }: Lane.LaneFacts): ReadonlyArray<number> =>
  [...Map.groupBy(evidence, ({ subject }) => subject.candidateId).values()].map(
    (rows) =>
      Math.max(...rows.map(({ finishedAt }) => Date.parse(finishedAt))) -
      Math.min(...rows.map(({ startedAt }) => Date.parse(startedAt)))
  )

/** A server with so many slots, and races on it, each in a Project of its own. */
export const openRaces = async (data: string, slots: number) => {
  const environment = { PAWL_SANDBOXES_AT_ONCE: String(slots), PAWL_APP_BUILDS_PER_DAY: "100000" }
  const server = await startServer({ data, environment })
  // Whatever ends this process, the server goes with it.
  const kill = () => void server.child.kill("SIGKILL")
  process.once("exit", kill)
  const { api } = server
  const race = async (slug: string, bad: ReadonlyArray<number> = []): Promise<Raced> => {
    const project = await Lane.laned(api, slug, check)
    const all = await Lane.racers(api, project.id, racers, bad)
    // What the server does about them in the background is not measured.
    await pause(1000)
    const began = Date.now()
    await Flow.requestCandidate(api, all[0]!.change)
    await Promise.all(all.slice(1).map(({ change }) => Flow.requestCandidate(api, change)))
    // Nobody can have landed before, and each question takes time of the server's.
    await pause(sleepSeconds * 1000)
    await Lane.settled(api, project.id, all)
    const facts = await Lane.factsOf(api, project.id, all)
    const landed = facts.generations.slice(1).map(({ promotedAt }) => Date.parse(promotedAt) - began)
    return {
      last: Math.max(...landed),
      verifications: verificationsOf(facts),
      landed: landed.length,
      runs: Lane.runsOf(facts, "test")
    }
  }
  const close = async () => {
    await server.stop()
    process.off("exit", kill)
  }
  return { race, close }
}
