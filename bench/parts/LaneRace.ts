/** Changes that race in the lane of a real server, whose checks sleep: whether cores are free matters little. */
import { seededDraw } from "@pawl/testing/tools/SeededScheduler"
import { setTimeout as pause } from "node:timers/promises"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import * as Lane from "../../packages/server/test/e2e/kit/LaneFacts.ts"
import { startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"

/** How many race. */
export const racers = 20

const sleepSeconds = 5
const verdict = 'test "$(cat verdict.txt)" = good'

/** How long checks take. */
export interface Pace {
  readonly command: string
  /** The shortest of one that passes, in s. */
  readonly leastSeconds: number
}

/** All checks take as long. */
export const even: Pace = { command: `sleep ${sleepSeconds}; ${verdict}`, leastSeconds: sleepSeconds }

/** A number between 0 and 1, neither of them. */
const between = (draw: (below: number) => number): number => (draw(1_000_000) + 0.5) / 1_000_000

/**
 * The check of each Change takes a time of its own, lognormal with a sigma of 0.3 around the usual one; one that fails ends
 * after 40 to 100 % of it. Whose it is tells the last file of the race in its tree: they stand in the order of their numbers.
 */
export const uneven = (seed: number): Pace => {
  const draw = seededDraw(seed)
  const normal = () => Math.sqrt(-2 * Math.log(between(draw))) * Math.cos(2 * Math.PI * between(draw))
  const passing = Array.from({ length: racers }, () => sleepSeconds * Math.exp(0.3 * normal()))
  const failing = passing.map((seconds) => seconds * (0.4 + 0.6 * between(draw)))
  const words = (all: ReadonlyArray<number>) => all.map((seconds) => seconds.toFixed(2)).join(" ")
  const newest = "ls src | tr -dc '0-9\\n' | sort -n | tail -n 1"
  return {
    command: `if ${verdict}; then set -- ${words(passing)}; else set -- ${words(failing)}; fi; n=$(${newest}); shift "\${n:-0}"; sleep "$1"; ${verdict}`,
    leastSeconds: Math.min(...passing)
  }
}

/** What a race is like: which of it fail, how long checks take, and whether Candidates are asked for at once or in order. */
export interface RaceShape {
  readonly bad?: ReadonlyArray<number>
  readonly pace?: Pace
  readonly inOrder?: boolean
}

/** What a race came to. Times are in ms. */
export interface Raced {
  /** From the first request until the last has landed. */
  readonly last: number
  /** Of each Candidate that was checked: from the beginning of its first check to the end of its last. */
  readonly verifications: ReadonlyArray<number>
  readonly landed: number
  readonly runs: number
}

/** A race in which not all landed that must is no figure. */
export const whole = (raced: Raced, landed: number): Raced => {
  if (raced.landed !== landed) throw new Error(`${raced.landed} landed, of ${landed}`)
  return raced
}

/** Milliseconds in words. */
export const told = (values: ReadonlyArray<number>): string =>
  values.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(", ")

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
  const race = async (slug: string, { bad = [], inOrder = false, pace = even }: RaceShape = {}): Promise<Raced> => {
    const project = await Lane.laned(api, slug, pace.command)
    const all = await Lane.racers(api, project.id, racers, bad)
    // What the server does about them in the background is not measured.
    await pause(1000)
    const began = Date.now()
    const inTurn = inOrder ? all : all.slice(0, 1)
    for (const { change } of inTurn) await Flow.requestCandidate(api, change)
    await Promise.all(all.slice(inTurn.length).map(({ change }) => Flow.requestCandidate(api, change)))
    // Nobody can have landed before, and each question takes time of the server's.
    await pause(pace.leastSeconds * 1000)
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
