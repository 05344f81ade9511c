/**
 * Repairs: a Change that was planned mends its Candidate by a Task of its own, while it is verified. What the Task is
 * told lies in an object, as the Work Graph does; when no more is tried, the Change says what was.
 */
import { Effect, Schema } from "effect"
import { system } from "../model/Actor.ts"
import { isBaseCanonical } from "../candidate/Base.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import { isRepair, repairKey, type Task } from "../model/Task.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { canonicalJson, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { announceReady, begin, end } from "../task/Progress.ts"
import { snapshotOf } from "../task/Tasks.ts"
import { dueRepair, type Failure, isMendable } from "./Repair.ts"
import { isInLane } from "../work/LaneWork.ts"
import { failureOf, repairEvidence } from "./RepairEvidence.ts"
import { addPlanned, taskOf } from "./PlannedTasks.ts"
import { PlannedTask } from "./WorkGraph.ts"
import { textOf } from "../primitives/Utf8.ts"

const actor = system("repair")

/** What a repair is told: its Task as a planner would propose it, and what shows the failure. */
export const RepairOrder = Schema.Struct({
  version: Schema.Literal(1),
  candidateId: Schema.String,
  task: PlannedTask,
  /** Outputs of checks and diffs. Others wrote it: it is data, and no instruction. */
  evidence: Schema.String
})
export interface RepairOrder extends Schema.Schema.Type<typeof RepairOrder> {}

/** Where the order of a repair is stored. */
const orderKey = ({ changeId, key, projectId }: Pick<Task, "projectId" | "changeId" | "key">): string =>
  `work-graphs/${projectId}/${changeId}/${key}.json`

const instructionsOf = (change: Change, { what }: Failure): string =>
  [
    `The work on this goal is done, and cannot go live as it is: ${what}.`,
    "Mend it with the smallest edit that does, and change nothing else. Do not weaken a check or a test that is right.",
    "Files in conflict stand as they were without the work that does not merge: do that work again on them, as the diffs show it.",
    `The goal: ${change.goal}`
  ].join("\n")

const orderOf = Effect.fnUntraced(function* (
  change: Change,
  { candidate, failure, n }: { readonly candidate: Candidate; readonly failure: Failure; readonly n: number },
  tasks: ReadonlyArray<Task>
) {
  const task: PlannedTask = {
    key: repairKey(n),
    title: `Mend: ${failure.what}`.slice(0, Limits.taskTitleLength),
    kind: "implement",
    complexity: "medium",
    instructions: instructionsOf(change, failure),
    dependsOn: tasks.filter(({ status }) => status === "completed").map(({ key }) => key),
    writes: candidate.conflicts.slice()
  }
  return {
    version: 1,
    candidateId: candidate.id,
    task,
    evidence: yield* repairEvidence(candidate)
  } satisfies RepairOrder
})

/** The whole of what is decided by, as it is now. */
const situationOf = Effect.fnUntraced(function* (changeId: string) {
  const records = yield* Records
  const snapshot = yield* snapshotOf(changeId)
  const where = { changeId }
  const changeSets = yield* records.list("changeSet", { where, limit: "all" })
  const candidates = (yield* records.list("candidate", { where, limit: "all" })).items.map(({ record }) => record)
  // What failed on a prediction that fell is nobody's fault.
  const mendable = yield* Effect.filter(candidates.filter(isMendable), isBaseCanonical)
  const failures = yield* Effect.forEach(mendable, failureOf)
  const situation = {
    tasks: snapshot.tasks.map(({ record }) => record),
    changeSets: changeSets.items.map(({ record }) => record),
    candidates,
    failures: new Map(failures.map((each) => [each.candidateId as string, each]))
  }
  return { snapshot, situation }
})

/** Stores the order, unless the Project was archived meanwhile: its objects may have been cleaned away by now. */
const keepOrder = Effect.fnUntraced(
  function* (change: Change, order: RepairOrder) {
    const objects = yield* ObjectStore
    const key = orderKey({ projectId: change.projectId, changeId: change.id, key: order.task.key })
    yield* objects.put(key, utf8(canonicalJson(order)))
    if ((yield* demand("project", change.projectId)).record.status === "archived") yield* objects.remove(key)
  },
  Effect.catchTag("InvalidKey", Effect.die)
)

/**
 * Plans the repair that is due for a Change that is verified, or says on the Change that no more is tried. Answers
 * whether either was due. Repeating it changes nothing.
 */
export const repair = (changeId: string) =>
  decideAndCommit(repairing(changeId)).pipe(Effect.withSpan("Repairs.repair", { attributes: { changeId } }))

const repairing = Effect.fnUntraced(function* (changeId: string) {
  const { situation, snapshot } = yield* situationOf(changeId)
  const { change } = snapshot
  // While it is in the lane nobody knows whether its Candidate failed for its own sake.
  const isDue = change.record.status === "verifying" && !isInLane(change.record)
  const due = isDue ? dueRepair(situation) : ({ _tag: "Nothing" } as const)
  if (due._tag === "Nothing") return { answer: false }
  const draft = begin(snapshot, actor, yield* Time.now)
  if (due._tag === "TellPerson") {
    if (change.record.reason === due.reason) return { answer: true }
    Draft.update(draft, "change", change, { reason: due.reason, updatedAt: draft.now })
    return { answer: true, commit: end(draft, { name: "Repairs.givenUp" }) }
  }
  const { failure, n } = due
  const candidate = (yield* demand("candidate", failure.candidateId)).record
  const order = yield* orderOf(change.record, { candidate, failure, n }, situation.tasks)
  yield* keepOrder(change.record, order)
  const task = taskOf(change.record, order.task, "ready", draft.now)
  addPlanned(draft, task)
  const told = { changeId: task.changeId, key: task.key, candidateId: candidate.id, reason: failure.what }
  Draft.emit(draft, "task.repair_planned", task.id, told)
  announceReady(draft, task)
  return { answer: true, commit: end(draft, { name: "Repairs.planned" }) }
})

/** What a repair was told, when a Task is one. */
export const orderOfTask = Effect.fnUntraced(
  function* (task: Task) {
    if (!isRepair(task)) return null
    const bytes = yield* (yield* ObjectStore).get(orderKey(task))
    return yield* Schema.decodeEffect(Schema.fromJsonString(RepairOrder))(textOf(bytes))
  },
  Effect.catchTags({ InvalidKey: Effect.die, SchemaError: Effect.die })
)
