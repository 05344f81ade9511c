/** What was planned for a Task, and where the words of a read-only one lie. */
import { Effect, Schema } from "effect"
import { orderOfTask } from "../change/Repairs.ts"
import { objectKey as graphKey, WorkGraph } from "../change/WorkGraph.ts"
import type { Task } from "../model/Task.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { runId } from "../primitives/Ids.ts"
import { textOf } from "../primitives/Utf8.ts"

/** What was planned for a Task. The graph, or the order of a repair, was stored before its Tasks were. */
export const plannedOf = Effect.fnUntraced(
  function* (task: Task) {
    const order = yield* orderOfTask(task)
    if (order !== null) return { planned: order.task, evidence: order.evidence }
    const bytes = yield* (yield* ObjectStore).get(graphKey(task.projectId, task.changeId))
    const graph = yield* Schema.decodeEffect(Schema.fromJsonString(WorkGraph))(textOf(bytes))
    const planned = graph.tasks.find((each) => each.key === task.key)
    if (planned === undefined)
      return yield* Effect.die(new Error(`the Work Graph of ${task.changeId} has no ${task.key}`))
    return { planned }
  },
  Effect.catchTags({ InvalidKey: Effect.die, SchemaError: Effect.die })
)

/** Where the text of a read-only Task lies. */
export const findingsKey = (task: Task, attempt: number): string =>
  `context/${task.projectId}/${runId(task.id, attempt)}`
