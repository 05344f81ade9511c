/** The process of one agent, body of `agent.wake`: admitted when a slot is free, then run by run to its end. */
import { Effect, Schedule } from "effect"
import { agentIn } from "../agent/Asker.ts"
import { sumOf } from "../agent/Reservation.ts"
import * as Turns from "../agent/Turns.ts"
import { claim, claimWork, plannedIntents, renewing, wantedBy } from "../claim/Claims.ts"
import { overlapsOf } from "./Order.ts"
import { isClosed } from "../change/Changes.ts"
import { orderOfTask } from "../change/Repairs.ts"
import { commitEdits, signatureOf } from "../changeset/Publication.ts"
import { demand } from "../ledger/Decision.ts"
import { Process, step, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { Records } from "../ledger/Records.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { type RunId, runId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Agent, type AgentJob, type AgentOutcome, type AgentShape, nothingUsed, type Usage } from "./Agent.ts"
import { Finding, inheritance, settle } from "./Settlement.ts"
import { isOutside, isWritable, type Task, type TaskRun } from "../model/Task.ts"
import { findingsKey, plannedOf } from "./PlannedWork.ts"
import { admit, agentOf, closeWith, start } from "./Tasks.ts"
import { tierOf } from "./ModelRoute.ts"
import { prepare } from "./Workspaces.ts"

/**
 * Whether a repair without an edit has done its work: what it stands on is not what was rejected. What did not merge has
 * come to a tree there, or canonical moved on, and the agent found that right.
 */
const isMended = Effect.fnUntraced(function* (task: Task, tree: string) {
  const order = yield* orderOfTask(task)
  return order !== null && (yield* demand("candidate", order.candidateId)).record.tree !== tree
})

type Job = Omit<AgentJob, "planned" | "evidence" | "claim" | keyof Turns.Turns>

/** What a published outcome comes to: a commit in the run's fork, or why it cannot be one. */
const committed = (job: Job, outcome: Extract<AgentOutcome, { readonly _tag: "Published" }>) =>
  Effect.gen(function* () {
    const { run, source, task } = job
    const { edits, usage } = outcome
    const declared = outcome.intents.slice(0, Limits.intentsPerChangeSet)
    if (!isWritable(task.kind)) return retry(`a ${task.kind} Task may not write`, usage)
    if (run.baseGeneration === undefined) return yield* Effect.die(new Error(`${run.id} is not the run of an agent`))
    if (Object.keys(edits).length > Limits.changeSetFiles)
      return retry(`it edits more than ${Limits.changeSetFiles} files`, usage)
    const message = outcome.message.slice(0, Limits.messageLength) || task.title
    const made = yield* commitEdits({
      into: { project: task.projectId, fork: workspaceFork(run.id) },
      base: source.commit,
      from: [],
      edits,
      declared,
      message,
      signature: signatureOf(agentOf(task), Time.toMillis(run.startedAt))
    })
    if (made.tree === source.tree && !(yield* isMended(task, source.tree)))
      return { _tag: "Answered", objectKey: null, usage } satisfies Finding
    const base = { generation: run.baseGeneration, commit: source.commit }
    return { _tag: "Published", made, base, message, usage } satisfies Finding
  }).pipe(
    // What the agent wrote cannot stand in a tree: it is told, and may do better.
    Effect.catchTags({
      InvalidPath: ({ path, reason }) => Effect.succeed(retry(`${path}: ${reason}`, outcome.usage)),
      TreeTooLarge: (large) =>
        Effect.succeed(retry(`its tree has ${large.actual} ${large.limit}, more than ${large.max}`, outcome.usage))
    })
  )

const retry = (reason: string, usage: Usage): Finding => ({ _tag: "Retry", reason, usage })

const findingOf = Effect.fnUntraced(function* (job: Job, outcome: AgentOutcome) {
  if (outcome._tag === "Published") return yield* committed(job, outcome)
  if (outcome._tag !== "Answered") return outcome satisfies Finding
  const key = findingsKey(job.task, job.run.attempt)
  yield* (yield* ObjectStore).put(key, utf8(outcome.text)).pipe(Effect.catchTag("InvalidKey", Effect.die))
  return { _tag: "Answered", objectKey: key, usage: outcome.usage } satisfies Finding
})

/** Ends when the run is not wanted any more: its Change was cancelled. A store that is away for a moment changes nothing. */
const unwanted = (run: TaskRun) =>
  demand("taskRun", run.id).pipe(
    Effect.map(({ record }) => record.endedAt !== null),
    Effect.orElseSucceed(() => false),
    Effect.repeat({ until: (ended) => ended, schedule: Schedule.spaced(Limits.agentWatchMs) }),
    Effect.as<AgentOutcome>({ _tag: "Stopped", reason: "the run was ended from outside", usage: nothingUsed })
  )

/** The runs that a run goes on from, the newest first: each was stopped in the middle of its talk. */
const earlierRuns = Effect.fnUntraced(function* (run: TaskRun) {
  const earlier: Array<RunId> = []
  for (let id = run.continues; id !== undefined; id = (yield* demand("taskRun", id)).record.continues) earlier.push(id)
  return earlier
})

/** What a run's turns fail with comes to the same as if its agent had said so. */
const worked = (working: ReturnType<AgentShape["work"]>) =>
  Effect.catchTags(working, {
    TurnStopped: ({ by, reason }) => Effect.succeed<AgentOutcome>({ _tag: "Stopped", by, reason, usage: nothingUsed }),
    TurnFailed: ({ diverged, reason }) =>
      Effect.succeed<AgentOutcome>({
        _tag: "Retry",
        reason,
        usage: nothingUsed,
        ...(diverged === true ? { diverged } : {})
      })
  })

/** Claims what an agent says that it did. A store that is away for a moment keeps it from nothing. */
const claimer = (task: Task) =>
  Effect.map(
    Effect.context<Records | Ledger>(),
    (context): AgentJob["claim"] =>
      (done) =>
        Effect.provide(Effect.ignore(claimWork(task.id, done)), context)
  )

/**
 * Works one run to its finding. What an agent spends beside its turns is known only when it ends, so a budget that is
 * spent by then stops the next run.
 */
const workRun = (task: Task, run: TaskRun) =>
  Effect.gen(function* () {
    const { change, changeSets, needed } = yield* inheritance(task.id)
    const leftUsd = sumOf(change.budgetUsd, -change.spentUsd)
    if (leftUsd <= 0)
      return {
        _tag: "Stopped",
        reason: `budget_exhausted: the budget of $${change.budgetUsd} is spent`,
        usage: nothingUsed
      } satisfies Finding
    const source = yield* prepare(task, run, changeSets)
    if (source._tag === "Impossible")
      return { _tag: "Failed", reason: source.reason, usage: nothingUsed } satisfies Finding
    const findings = needed
      .filter((each) => !isWritable(each.kind))
      .map((each) => ({ taskKey: each.key, objectKey: findingsKey(each, each.attempt) }))
    const plan = yield* plannedOf(task)
    // What expired while nobody worked is held again.
    yield* claim(task.id, plannedIntents(plan.planned))
    const overlaps = yield* overlapsOf(task)
    const left = Math.max(0, sumOf(leftUsd, -change.reservedUsd))
    const job = { change, task, run, source, findings, overlaps, remainingUsd: left }
    const asker = agentIn(run, run.tier ?? tierOf(task.kind, task.complexity), yield* earlierRuns(run))
    const turns = yield* Turns.of(asker, (yield* Process).lease)
    const working = (yield* Agent).work({ ...job, ...turns, ...plan, claim: yield* claimer(task) })
    // By the clock, and not with each turn: a run also waits for sandboxes and checks, longer than a claim is held.
    const outcome = yield* Effect.raceFirst(Effect.raceFirst(worked(working), unwanted(run)), renewing(task.id))
    return yield* findingOf(job, outcome)
  }).pipe(Effect.withSpan("Dispatch.run", { attributes: { runId: run.id } }))

/** An attempt at the Task, and how it ended. */
export const workStep = JournalStep.each("work", Finding)

/** The body of `agent.wake`. */
export const wake = (taskId: string) =>
  Effect.gen(function* () {
    const { record: before } = yield* demand("task", taskId)
    const change = (yield* demand("change", before.changeId)).record
    if (isClosed(change.status)) return yield* closeWith(change.id)
    if (change.status === "releasing")
      return yield* Effect.fail(new Waiting("the Change is being released", Limits.commandBackoffMaxMs))
    const { planned } = yield* plannedOf(before)
    const turn = yield* admit(taskId, yield* wantedBy(taskId, plannedIntents(planned)))
    if (turn === "nothing") return
    // What it waits for wakes it when it ends.
    if (turn !== "work")
      return yield* Effect.fail(new Waiting(turn.waits, Math.max(0, turn.untilMs - (yield* Time.nowMillis))))
    yield* start(taskId)
    for (;;) {
      const task = (yield* demand("task", taskId)).record
      if (task.status !== "running") return
      const run = (yield* demand("taskRun", runId(task.id, task.attempt))).record
      if (isOutside(run)) return
      const finding = yield* step(workStep(run.attempt), workRun(task, run))
      yield* settle(taskId, run.attempt, finding)
    }
  }).pipe(Effect.withSpan("Dispatch.wake", { attributes: { taskId } }))
