/** Tasks that write the same: which of them have an order, and what those that have none have in common. */
import { Effect } from "effect"
import { heldIn } from "../claim/Claims.ts"
import { type Other, overlapsWith, writesOf } from "../claim/Overlaps.ts"
import type { Claim } from "../model/Claim.ts"
import type { Change } from "../model/Change.ts"
import type { Intent } from "../model/ChangeSet.ts"
import type { Overlap } from "../model/Overlap.ts"
import type { Task } from "../model/Task.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import { dependenciesOf } from "./Workspaces.ts"

/** Whether one of two Tasks of a Change depends on the other, near or far. */
const isOrdered = (one: Task, other: Task, tasks: ReadonlyArray<Task>): boolean =>
  [one, other].some((each, index) => dependenciesOf(each, tasks).some(({ id }) => id === [other, one][index]!.id))

/** Those that hold claims, each with what it writes, in the order of their first claims. */
const holdersOf = (claims: ReadonlyArray<Claim>): ReadonlyArray<Other> => {
  const byTask = new Map<string, Array<Claim>>()
  for (const each of claims) byTask.set(each.taskId, [...(byTask.get(each.taskId) ?? []), each])
  return [...byTask.values()].flatMap((own) =>
    own[0] === undefined ? [] : [{ changeId: own[0].changeId, taskId: own[0].taskId, writes: writesOf(own) }]
  )
}

/**
 * What a Task is to write and others write now: Tasks of its own Change that have no order with it, and those of other
 * Changes, as far as their claims are given. `tasks` are all of its own Change.
 */
export const expectedBeside = (
  task: Task,
  tasks: ReadonlyArray<Task>,
  { mine, theirs }: { readonly mine: ReadonlyArray<Intent>; readonly theirs: ReadonlyArray<Claim> }
): ReadonlyArray<Overlap> => {
  const beside = holdersOf(theirs).filter(({ taskId }) => {
    const other = tasks.find(({ id }) => id === taskId)
    return taskId !== task.id && (other === undefined || !isOrdered(task, other, tasks))
  })
  return overlapsWith(writesOf(mine), beside).slice(0, Limits.overlapsTold)
}

/** What some Tasks of a Change that are worked write, and others of their Project write too; each thing once. */
const overlapsOfAll = Effect.fnUntraced(function* (
  { id, projectId }: Pick<Change, "id" | "projectId">,
  isMeant: (task: Task) => boolean
) {
  const claims = (yield* heldIn(projectId)).map(({ record }) => record)
  if (!claims.some(({ changeId }) => changeId === id)) return []
  const found = yield* (yield* Records).list("task", { where: { changeId: id }, limit: "all" })
  const tasks = found.items.map(({ record }) => record)
  const all = tasks
    .filter(isMeant)
    .flatMap((task) =>
      expectedBeside(task, tasks, { mine: claims.filter(({ taskId }) => taskId === task.id), theirs: claims })
    )
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()].slice(0, Limits.overlapsTold)
})

/** What a Task that is worked writes, and others of its Project write too. */
export const overlapsOf = (task: Task) =>
  overlapsOfAll({ id: task.changeId, projectId: task.projectId }, ({ id }) => id === task.id)

/** What the agents of a Change write now, and others write too: of other Changes, and of its own without an order. */
export const overlapsOfChange = (change: Pick<Change, "id" | "projectId">) => overlapsOfAll(change, () => true)
