/**
 * Changes from their beginning to their release, as workers do them for real, but that what a machine does (agents, merges,
 * checks, builds, bundles) is a sleep: what is left is what workers have in common, the claims and the commits.
 */
import type { Command, NewCommand } from "@pawl/core/model/Command"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { swapDecision } from "@pawl/core/promotion/Canonical"
import { type Handlers } from "@pawl/core/work/Processes"
import { lanes, type SlotsPerLane } from "@pawl/core/work/Lanes"
import { Effect } from "effect"
import { ask, opening, projectOf, snapshotOf, verifying } from "./PromotionWorld.ts"

/** Commands that a process works on at a time. */
export const slotsEach = 6

/** The slots of a process that does these commands alone, all in one lane. */
export const slots = Object.fromEntries(lanes.map((lane) => [lane, slotsEach])) as SlotsPerLane

/** What is to be done next, of the n-th Change of a Project. */
export interface Turn {
  readonly project: number
  readonly n: number
  /** How many Changes each Project has. */
  readonly each: number
  /** Only their promotion is work, or all of their life. */
  readonly only: "promotions" | "changes"
  /** How long each piece of machine-bound work takes, ms. */
  readonly sleepMs: number
}

const steps = {
  promotions: ["candidate.promote"],
  changes: ["change.dispatch", "candidate.create", "candidate.promote", "release.run"]
} as const satisfies Readonly<Record<Turn["only"], ReadonlyArray<Command["kind"]>>>

/** The first thing that is done for a Change. */
export const first = (turn: Turn): NewCommand => commandOf(steps[turn.only][0], turn)

const commandOf = (kind: Command["kind"], turn: Turn): NewCommand => ({
  kind,
  id: `${kind}:${turn.project}/${turn.n}`,
  payload: { ...turn }
})

/** What follows a step: the next one of the Change, or the first one of the next Change. */
const following = (kind: Command["kind"], turn: Turn): ReadonlyArray<NewCommand> => {
  const ofChange: ReadonlyArray<Command["kind"]> = steps[turn.only]
  const next = ofChange[ofChange.indexOf(kind) + 1]
  if (next !== undefined) return [commandOf(next, turn)]
  return turn.n + 1 < turn.each ? [first({ ...turn, n: turn.n + 1 })] : []
}

/** The commit of a promotion, as a promotion makes it. */
const promotion = ({ n, project }: Turn): Commit => {
  const decision = swapDecision(snapshotOf(project, n), ask)
  if (decision._tag !== "Swap") throw new Error(`the ${n}th Candidate of ${project} is not promoted`)
  return decision.commit
}

const commitOf = (kind: Command["kind"], turn: Turn): Pick<Commit, "writes" | "events"> => {
  if (kind === "change.dispatch") return { writes: opening(turn.project, turn.n) }
  if (kind === "candidate.create") return { writes: verifying(turn.project, turn.n) }
  return kind === "candidate.promote" ? promotion(turn) : {}
}

/** Sleeps, commits what this step comes to, and sends the next. What it commits may stand already: then it was done. */
const handler = (command: Command) =>
  Effect.gen(function* () {
    const turn = command.payload as unknown as Turn
    yield* Effect.sleep(turn.sleepMs)
    const { events = [], writes = [] } = commitOf(command.kind, turn)
    yield* (yield* Ledger).commit({
      name: `Bench.${command.kind}`,
      projectId: projectOf(turn.project),
      writes,
      events,
      commands: following(command.kind, turn)
    })
  })

/** What a worker of the bench can do. */
export const handlers: Handlers<Ledger> = Object.fromEntries(steps.changes.map((kind) => [kind, handler]))
