/**
 * Checks of what was pushed for a run that is worked outside, before it is published: those that a Candidate of it would
 * have. They run as one command, each a step of it, and leave no evidence: nothing is promoted by them.
 */
import { Effect, Schedule, Schema } from "effect"
import { contextPrefix } from "../agent/Asker.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { type Actor, system } from "../model/Actor.ts"
import { commandId } from "../model/Command.ts"
import { pointerKey } from "../model/Entities.ts"
import { CheckShown, type PushedChecks } from "../model/PushedChecks.ts"
import type { TaskRun } from "../model/Task.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { textOf } from "../primitives/Utf8.ts"
import { Repositories, RepositoriesUnavailable, type TreeEntry } from "../project/Repositories.ts"
import { readFiles } from "../project/Source.ts"
import { heldRun } from "../task/OutsideLeases.ts"
import { NothingPushed, refOfTask } from "../task/OutsideRuns.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { step } from "../work/Processes.ts"
import { type CheckedPlace, checksOf, type Shown, shownBy } from "./TreeChecks.ts"

/** The run has had its checks as often as one may. What was pushed can be published: its Candidate is checked anyway. */
export class ChecksUsedUp extends Schema.TaggedError<ChecksUsedUp>()("ChecksUsedUp", {
  runId: Schema.String,
  max: Schema.Finite
}) {
  override get message() {
    return `The checks of ${this.runId} have run ${this.max} times, which is as often as they may. Publish what is pushed: its Candidate is checked anyway. Or give the Task up.`
  }
}

const Kept = Schema.fromJsonString(
  Schema.Struct({
    /** Why there are no checks: `pawl.json` cannot be read, or the Policy refuses a package; null else. */
    broken: Schema.NullOr(Schema.String),
    results: Schema.Array(CheckShown)
  })
)
type Kept = typeof Kept.Type

/** Where the checks of a run stand. */
export interface ChecksNow extends Kept {
  /** How often they were asked for. */
  readonly number: number
  /** How often they may still be asked for. */
  readonly left: number
  /** What they run on. */
  readonly commit: string
  readonly state: "running" | "shown" | "dropped"
}

const keyOf = ({ id, projectId }: TaskRun, number: number): string =>
  `${contextPrefix(projectId, id)}checks-${number}.json`

const nothing: Kept = { broken: null, results: [] }

const keptOf = (run: TaskRun, number: number) =>
  Effect.flatMap(ObjectStore, (objects) => objects.get(keyOf(run, number))).pipe(
    Effect.flatMap((bytes) => Schema.decodeEffect(Kept)(textOf(bytes))),
    Effect.catchTags({ InvalidKey: Effect.die, SchemaError: Effect.die, ObjectMissing: () => Effect.succeed(null) })
  )

const nowOf = Effect.fnUntraced(function* (run: TaskRun, { commit, number, outcome }: PushedChecks) {
  const kept = outcome === "shown" ? yield* keptOf(run, number) : nothing
  // What they showed goes with its Project, and they go with the run that they are for.
  const state = kept === null || (outcome === null && run.endedAt !== null) ? "dropped" : (outcome ?? "running")
  return {
    number,
    left: Math.max(0, Limits.outsideCheckRuns - number),
    commit,
    state,
    ...(kept ?? nothing)
  } satisfies ChecksNow
})

/** The checks of a run that were asked for last; null where none were. Fails with `Unknown` for the run. */
export const checksNow = Effect.fnUntraced(function* (runId: string) {
  const { record: run } = yield* demand("taskRun", runId)
  return run.checks === undefined ? null : yield* nowOf(run, run.checks)
})

/** What asking came to. */
interface Asked {
  /** False when they were asked for before. */
  readonly begun: boolean
  readonly run: TaskRun
  readonly checks: PushedChecks
}

const asking = Effect.fnUntraced(function* (actor: Actor, runId: string, again: boolean) {
  const { outside, run } = yield* heldRun(actor, runId)
  if (outside.pushed === null) return yield* new NothingPushed({ runId, ref: refOfTask(run.record.taskId) })
  const { checks: before } = run.record
  const isKnown =
    before?.commit === outside.pushed && (before.outcome === null || (before.outcome === "shown" && !again))
  if (before !== undefined && isKnown)
    return { answer: { begun: false, run: run.record, checks: before } satisfies Asked }
  const number = (before?.number ?? 0) + 1
  if (number > Limits.outsideCheckRuns) return yield* new ChecksUsedUp({ runId, max: Limits.outsideCheckRuns })
  const checks: PushedChecks = { number, commit: outside.pushed, outcome: null }
  const draft = Draft.begin(run.record.projectId, actor, yield* Time.now)
  const { record } = Draft.update(draft, "taskRun", run, { checks })
  Draft.send(draft, { kind: "run.checks", id: commandId("run.checks", runId), payload: { runId } })
  const answer: Asked = { begun: true, run: record, checks }
  return { answer, commit: Draft.end(draft, { name: "OutsideChecks.ask" }) }
})

/**
 * Asks for the checks of what was pushed last. The same commit is checked once, unless `again` is said; asking while they
 * run, or once they have, answers those. What is pushed and asked for meanwhile takes their place. Fails with
 * `NothingPushed`, `ChecksUsedUp`, and as `heldRun` does.
 */
export const askChecks = Effect.fnUntraced(function* (actor: Actor, runId: string, again: boolean) {
  const { begun, checks, run } = yield* decideAndCommit(asking(actor, runId, again))
  return { begun, checks: yield* nowOf(run, checks) }
}, Effect.withSpan("OutsideChecks.ask"))

/** What a check showed: a step of the command, so that it is not run twice. */
export const shownStep = JournalStep.each("shown", CheckShown)

const told = ({ check, finding }: Shown): CheckShown => ({
  checkId: check.id,
  title: check.title,
  required: check.required,
  result: finding.result,
  summary: finding.summary,
  output: textOf(finding.output.subarray(-Limits.whyOutputBytes)).trim()
})

type Entries = ReadonlyArray<TreeEntry>

/** Paths of files that are others than before, or there no more. */
const changedPaths = (before: Entries, after: Entries): ReadonlyArray<string> => {
  const idsOf = (entries: Entries) =>
    new Map(entries.flatMap(({ id, path, type }) => (type === "file" ? [[path, id] as const] : [])))
  const [old, own] = [idsOf(before), idsOf(after)]
  return [...new Set([...old.keys(), ...own.keys()])].filter((path) => old.get(path) !== own.get(path))
}

/** What was pushed, and what it was made of. */
const placeOf = Effect.fnUntraced(
  function* (run: TaskRun, commit: string) {
    const { record: task } = yield* demand("task", run.taskId)
    const repository = { project: run.projectId, fork: workspaceFork(run.id) }
    const repositories = yield* Repositories
    const pushed = yield* repositories.resolve(repository, commit)
    const base = yield* repositories.resolve(repository, run.outside?.base ?? run.baseCommit)
    const source = yield* readFiles(repository, base.tree)
    const files = yield* readFiles(repository, pushed.tree)
    const pointer = yield* find("pointer", pointerKey(run.projectId, "production"))
    const place: CheckedPlace = {
      job: { task, run, source: { repository, ...pushed } },
      source,
      hasApp: pointer?.record.status !== "removed",
      running: { count: 0 }
    }
    const paths = changedPaths(
      yield* repositories.list(repository, base.tree),
      yield* repositories.list(repository, pushed.tree)
    )
    return { files, place, paths }
  },
  Effect.catchTags({
    ObjectNotFound: ({ id, what }) =>
      new RepositoriesUnavailable({ operation: "read", reason: `${what} ${id} is gone` }),
    TreeTooLarge: Effect.die
  })
)

const working = Effect.fnUntraced(function* (run: TaskRun, { commit, number }: PushedChecks) {
  const { files, paths, place } = yield* placeOf(run, commit)
  const judges = yield* checksOf(place, files, paths)
  const checks = judges._tag === "Broken" ? [] : judges.checks
  const results = yield* Effect.forEach(
    checks,
    (check) =>
      step(
        shownStep(`${number}:${check.id}`),
        Effect.flatMap(shownBy(place, [check], `${run.id}-checks-${number}`, files), ([shown]) =>
          shown === undefined ? Effect.die(new Error(`${check.id} showed nothing`)) : Effect.succeed(told(shown))
        )
      ),
    { concurrency: Limits.agentChecksAtOnce }
  )
  return { broken: judges._tag === "Broken" ? judges.reason : null, results } satisfies Kept
})

/** Whether these checks are still asked for. */
const isWanted = (run: TaskRun, number: number): boolean =>
  run.endedAt === null && run.checks?.number === number && run.checks.outcome === null

/** Ends when nobody asks for them any more. A store that is away for a moment changes nothing. */
const unwanted = ({ id }: TaskRun, number: number) =>
  demand("taskRun", id).pipe(
    Effect.map(({ record }) => !isWanted(record, number)),
    Effect.orElseSucceed(() => false),
    Effect.repeat({ until: (isOver) => isOver, schedule: Schedule.spaced(Limits.agentWatchMs) }),
    Effect.as(null)
  )

const ending = Effect.fnUntraced(function* (runId: string, number: number, outcome: "shown" | "dropped") {
  const run = yield* demand("taskRun", runId)
  const { checks, projectId } = run.record
  if (checks === undefined || !isWanted(run.record, number)) return { answer: undefined }
  const draft = Draft.begin(projectId, system("checks"), yield* Time.now)
  Draft.update(draft, "taskRun", run, { checks: { ...checks, outcome } })
  return { answer: undefined, commit: Draft.end(draft, { name: `OutsideChecks.${outcome}` }) }
})

/** The body of `run.checks`: runs those that were asked for last, for as long as somebody wants them. */
export const runChecks = Effect.fnUntraced(function* (runId: string) {
  const { record: run } = yield* demand("taskRun", runId)
  const { checks } = run
  if (checks === undefined || !isWanted(run, checks.number)) return
  const kept = yield* Effect.raceFirst(working(run, checks), unwanted(run, checks.number))
  if (kept === null) return
  const body = utf8(yield* Effect.orDie(Schema.encodeEffect(Kept)(kept)))
  yield* (yield* ObjectStore).put(keyOf(run, checks.number), body).pipe(Effect.catchTag("InvalidKey", Effect.die))
  yield* decideAndCommit(ending(runId, checks.number, "shown"))
}, Effect.withSpan("OutsideChecks.run"))

/** Says of checks whose command came to nothing that they were dropped. */
export const dropChecks = Effect.fnUntraced(function* (runId: string) {
  const { checks } = (yield* demand("taskRun", runId)).record
  if (checks !== undefined) yield* decideAndCommit(ending(runId, checks.number, "dropped"))
})
