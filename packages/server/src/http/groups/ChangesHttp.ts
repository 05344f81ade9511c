/** Changes. */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { raise } from "@pawl/core/change/Budget"
import { cancel } from "@pawl/core/change/Cancellation"
import { open } from "@pawl/core/change/Changes"
import { fitting, searchChanges } from "@pawl/core/change/ChangeSearch"
import { objectKey } from "@pawl/core/change/WorkGraph"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { overlapsOfChange } from "@pawl/core/task/Order"
import { ChangeAnswer, type ChangesParams } from "../../api/groups/ChangesApi.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { listed } from "../answer/RecordPages.ts"
import { actor, onChange, onProject } from "../request/Reach.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

const Graph = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

const workGraph = (projectId: string, changeId: string) =>
  Effect.flatMap(ObjectStore, (objects) => objects.get(objectKey(projectId, changeId))).pipe(
    Effect.catchTag("ObjectMissing", () => new Unknown({ kind: "work-graph", id: changeId })),
    Effect.flatMap((bytes) => Schema.decodeEffect(Graph)(textOf(bytes))),
    // Both are ours: the key is made of ids, and what is stored there was checked when it was planned.
    Effect.catchTags({ InvalidKey: Effect.die, SchemaError: Effect.die })
  )

/** By hand, because both of its statuses answer the same shape. */
const answerOf = HttpServerResponse.schemaJson(ChangeAnswer)

const pageOfChanges = Effect.fnUntraced(function* (id: string, asked: ChangesParams) {
  const { id: projectId } = yield* onProject(id)
  const fits = fitting(asked)
  if (fits !== null) return yield* searchChanges(projectId, fits, asked)
  const { cursor, limit, order = "newest", status } = asked
  return yield* listed("change", {
    projectId,
    order,
    ...(status === undefined ? {} : { where: { status } }),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor })
  })
})

/** Handlers of `changes`, with their Tasks, work graph and budget. */
export const ChangesHttp = HttpApiBuilder.group(PawlApi, "changes", (handlers) =>
  handlers
    .handle("create", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const { clientRequestId, goal, budgetUsd, startPlanning } = payload
          const { change, created } = yield* open(yield* actor, {
            projectId: project.id,
            clientRequestId,
            goal,
            budgetUsd,
            ...(startPlanning === undefined ? {} : { startPlanning })
          })
          return yield* answerOf({ change }, { status: created ? 201 : 200 }).pipe(Effect.orDie)
        })
      )
    )
    .handle("list", ({ params, query }) => answering(pageOfChanges(params.id, query)))
    .handle("get", ({ params }) =>
      answering(
        Effect.flatMap(onChange(params.id), (change) =>
          Effect.map(overlapsOfChange(change), (overlaps) => ({ change, overlaps }))
        )
      )
    )
    .handle("tasks", ({ params, query }) =>
      answering(
        Effect.flatMap(onChange(params.id), (change) =>
          listed("task", { projectId: change.projectId, where: { changeId: change.id }, ...query })
        )
      )
    )
    .handle("modelCalls", ({ params, query }) =>
      answering(
        Effect.flatMap(onChange(params.id), (change) =>
          listed("modelCall", { projectId: change.projectId, where: { changeId: change.id }, ...query })
        )
      )
    )
    .handle("workGraph", ({ params }) =>
      answering(
        Effect.flatMap(onChange(params.id), (change) =>
          Effect.map(workGraph(change.projectId, change.id), (graph) => ({ workGraph: graph }))
        )
      )
    )
    .handle("cancel", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          return { change: yield* cancel(yield* actor, change.id) }
        })
      )
    )
    .handle("budget", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          return { change: yield* raise(yield* actor, change.id, payload.budgetUsd) }
        })
      )
    )
)
