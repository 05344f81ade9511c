/**
 * Looking after the Work Graph of a Change, body of `change.dispatch`: it is planned, its ready Tasks are woken, and
 * when the last of them is completed its Candidate is asked for; one that was rejected is mended. Each time the Change's
 * status says what is due.
 */
import { Effect, Result, Schema } from "effect"
import { plannerOf } from "../agent/Asker.ts"
import type { TurnStopped } from "../agent/TurnFailures.ts"
import * as Turns from "../agent/Turns.ts"
import { type Actor, system } from "../model/Actor.ts"
import { request } from "../candidate/Candidates.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { isDone, Process, step, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { Records } from "../ledger/Records.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { canonicalJson, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { tierOf } from "../task/ModelRoute.ts"
import { addTask, announceReady, begin, end } from "../task/Progress.ts"
import { addPlanned, taskOf } from "./PlannedTasks.ts"
import { isPlanned } from "../model/Task.ts"
import { closeWith, snapshotOf } from "../task/Tasks.ts"
import type { Change } from "../model/Change.ts"
import { goOn } from "./Budget.ts"
import { isClosed } from "./Changes.ts"
import { Planner } from "./Planner.ts"
import { repair } from "./Repairs.ts"
import { objectKey, read, WorkGraph } from "./WorkGraph.ts"

const actor = system("planning")

/** The body of `change.dispatch`. Repeating it changes nothing. */
export const dispatch = (changeId: string) =>
  Effect.gen(function* () {
    if ((yield* demand("change", changeId)).record.status === "created") yield* beginPlanning(changeId)
    const change = (yield* demand("change", changeId)).record
    if (change.status === "compiling" || change.status === "cancelled") return yield* compile(change)
    if (change.status === "verifying" && (yield* repair(changeId))) return
    if (change.status === "verifying" || change.status === "awaiting_approval") yield* askForCandidate(changeId)
    // Promoted while agents were at work: what is left of them ends with the Change.
    if (isClosed(change.status)) return yield* closeWith(changeId)
    if (change.status === "promoting" || change.status === "releasing")
      return yield* Effect.fail(new Waiting(`the Change is ${change.status}`, Limits.commandBackoffMs))
    yield* goOn(changeId)
  }).pipe(Effect.withSpan("Compiling.dispatch", { attributes: { changeId } }))

const lease = Effect.map(Process, (process) => process.lease)

const beginPlanning = (changeId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      const { change } = snapshot
      const draft = begin(snapshot, actor, yield* Time.now)
      // Begun or cancelled meanwhile, or never to be planned.
      if (change.record.planned !== true || !Draft.may(draft, "change", change, "planningStarted"))
        return { answer: undefined }
      Draft.step(draft, "change", change, "planningStarted", {})
      return { answer: undefined, commit: end(draft, { name: "Compiling.started", lease: yield* lease }) }
    })
  )

const Planned = Schema.Union([
  Schema.TaggedStruct("Planned", { graph: WorkGraph }),
  Schema.TaggedStruct("Failed", { reason: Schema.String })
])
type Plan = typeof Planned.Type

/** What the planner answered, read. */
export const planStep = JournalStep.make("plan", Planned)

const failed = (reason: string): Plan => ({ _tag: "Failed", reason: reason.slice(0, Limits.problemLength) })

/** Asks the planner. The graph is journalled, so that whoever carries on stores the very same one. */
const plan = Effect.fnUntraced(function* (change: Change) {
  const head = yield* find("head", change.projectId)
  if (head === null) return failed("the Project has no source to plan on")
  const { commit, generation, tree } = head.record
  const planner = yield* Planner
  const turns = yield* Turns.of(plannerOf(change, tierOf("plan", "large")), yield* lease)
  const base = { repository: { project: change.projectId }, commit, generation, tree }
  const proposed = yield* planner.plan(change, base, turns).pipe(Effect.result)
  if (Result.isFailure(proposed)) {
    const { failure } = proposed
    if (failure._tag === "PlannerFailed" || failure._tag === "TurnFailed") return failed(failure.reason)
    return yield* Effect.fail(failure)
  }
  const graph = read(change.id, generation, proposed.success)
  return Result.match(graph, {
    onFailure: (problems) => failed(`the plan cannot be used: ${problems.map((each) => each.detail).join("; ")}`),
    onSuccess: (each): Plan => ({ _tag: "Planned", graph: each })
  })
}, Effect.withSpan("Compiling.plan"))

/** A Change that was cancelled while the planner was at work stores what was planned as cancelled; nobody plans for it anew. */
const compile = Effect.fnUntraced(function* (change: Change) {
  if (change.status === "cancelled" && !(yield* isDone(planStep))) return
  const planned = yield* step(planStep, plan(change)).pipe(
    Effect.catchTag("TurnStopped", (each) => wait(change.id, each))
  )
  if (planned._tag === "Failed") return yield* plannerFailed(change.id, planned.reason, actor)
  yield* keepGraph(change, planned.graph)
  yield* decideAndCommit(storing(change.id, planned.graph))
})

/** When one looks again, by what stopped the planner. */
const lookMs: Readonly<Record<TurnStopped["by"], number>> = {
  change: Limits.commandBackoffMs,
  budget: Limits.modelCapLookMs,
  calls: Limits.modelCapLookMs,
  model: Limits.modelRefusedLookMs
}

/** What a Change says of itself while it stands where it stands; what it says for another reason in `verifying` stays. */
const saying = Effect.fnUntraced(function* (
  changeId: string,
  status: "compiling" | "verifying",
  reason: string,
  name: string
) {
  const change = yield* demand("change", changeId)
  const said = change.record.reason
  if (change.record.status !== status || said === reason || (status === "verifying" && said !== null))
    return { answer: undefined }
  const draft = Draft.begin(change.record.projectId, actor, yield* Time.now)
  Draft.update(draft, "change", change, { reason, updatedAt: draft.now })
  return { answer: undefined, commit: Draft.end(draft, { name, lease: yield* lease }) }
})

/** Planning waits for more money, for tomorrow's calls, or for a provider that answers; meanwhile its Change says so. */
const wait = Effect.fnUntraced(function* (changeId: string, { by, reason }: TurnStopped) {
  yield* decideAndCommit(saying(changeId, "compiling", reason, "Compiling.waits"))
  return yield* Effect.fail(new Waiting(reason, lookMs[by]))
})

/** Stores the graph, unless the Project was archived meanwhile: its objects may have been cleaned away by now. */
const keepGraph = Effect.fnUntraced(
  function* (change: Change, graph: WorkGraph) {
    const objects = yield* ObjectStore
    const key = objectKey(change.projectId, change.id)
    yield* objects.put(key, utf8(canonicalJson(graph)))
    if ((yield* demand("project", change.projectId)).record.status === "archived") yield* objects.remove(key)
  },
  Effect.catchTag("InvalidKey", Effect.die)
)

/** Ends a Change that cannot be planned. Nothing happens when it is past planning. */
const plannerFailed = (changeId: string, reason: string, by: Actor) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      const draft = begin(snapshot, by, yield* Time.now)
      if (!Draft.may(draft, "change", snapshot.change, "plannerFailed")) return { answer: undefined }
      Draft.step(draft, "change", snapshot.change, "plannerFailed", { reason }, { "change.failed": { reason } })
      return { answer: undefined, commit: end(draft, { name: "Compiling.failed" }) }
    })
  )

/** An operator dismisses the dead letter of a Change that is being planned: it will not be planned. */
export const abandon = (by: Actor, changeId: string) =>
  plannerFailed(changeId, `planning was given up by ${by.id}`, by).pipe(Effect.withSpan("Compiling.abandon"))

/** Stores the Tasks of a graph, once. */
const storing = Effect.fnUntraced(function* (changeId: string, graph: WorkGraph) {
  const snapshot = yield* snapshotOf(changeId)
  const change = snapshot.change.record
  if (snapshot.tasks.some(({ record }) => isPlanned(record))) return { answer: undefined }
  const now = yield* Time.now
  const draft = begin(snapshot, actor, now)
  if (change.status === "cancelled") {
    for (const each of graph.tasks) addTask(draft, taskOf(change, each, "cancelled", now))
    return { answer: undefined, commit: end(draft, { name: "Compiling.discarded", lease: yield* lease }) }
  }
  // Given up meanwhile.
  if (!Draft.may(draft, "change", snapshot.change, "workGraphStored")) return { answer: undefined }
  const tasks = graph.tasks.map((each) => taskOf(change, each, each.dependsOn.length === 0 ? "ready" : "pending", now))
  const data = { baseGeneration: graph.baseGeneration, tasks: tasks.map((task) => task.key) }
  Draft.step(draft, "change", snapshot.change, "workGraphStored", { reason: null }, { "change.compiled": data })
  for (const task of tasks) addPlanned(draft, task)
  for (const task of tasks) if (task.status === "ready") announceReady(draft, task)
  return { answer: undefined, commit: end(draft, { name: "Compiling.compiled", lease: yield* lease }) }
})

const nothingChanged =
  "every Task is completed, and none changed a file: there is nothing to verify. What they answered stands in their runs. Send an edit and ask for a Candidate, or cancel the Change."

/** A Change with a Work Graph asks for its Candidate by itself, once for the ChangeSets that it has. */
const askForCandidate = Effect.fnUntraced(function* (changeId: string) {
  const records = yield* Records
  const tasks = yield* records.list("task", { where: { changeId }, limit: "all" })
  if (!tasks.items.some(({ record }) => isPlanned(record))) return
  const changeSets = yield* records.list("changeSet", { where: { changeId }, limit: "all" })
  const candidates = yield* records.list("candidate", { where: { changeId }, limit: "all" })
  const count = changeSets.items.length
  if (count === 0) return yield* decideAndCommit(saying(changeId, "verifying", nothingChanged, "Compiling.answered"))
  if (candidates.items.some(({ record }) => record.changeSets.length === count)) return
  yield* request(actor, { changeId }).pipe(
    // A person asked for the last Candidate, or ended the Change, meanwhile: it is theirs now.
    Effect.catchTags({
      CandidateLimit: (refused) => Effect.logInfo("no Candidate was asked for", refused.message),
      InvalidField: (refused) => Effect.logInfo("no Candidate was asked for", refused.message),
      ChangeClosed: () => Effect.void
    }),
    Effect.asVoid
  )
})
