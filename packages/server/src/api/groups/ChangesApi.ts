/** Changes: a goal for a Project, from its opening to its end. */
import { changeKinds, changeStatuses, moneyNames, riskTiers } from "@pawl/core/model/Change"
import { Overlap } from "@pawl/core/model/Overlap"
import { withWireNames } from "@pawl/core/primitives/WireNames"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ServerLimits } from "../../ServerLimits.ts"
import { Authenticated } from "../Authentication.ts"
import { about, reading, writing } from "../Needs.ts"
import {
  ById,
  oneOfParam,
  PageParams,
  pageOf,
  searchParam,
  searchWords,
  statusParam,
  textParam
} from "../PageParams.ts"
import { ChangeRecord, ModelCallRecord, TaskRecord } from "../RecordSchemas.ts"

/** A Change, as an answer tells it. */
export const ChangeAnswer = Schema.Struct({ change: ChangeRecord })

const budgetName = { budgetUsd: moneyNames.budgetUsd }

const NewChangeBody = Schema.Struct({
  /** The same one again answers the Change that it opened before. */
  clientRequestId: Schema.String,
  goal: Schema.String,
  /** Above 0, at most 100, at most 2 decimals. */
  budgetUsd: Schema.Finite,
  startPlanning: Schema.optionalKey(Schema.Boolean)
}).pipe(withWireNames(budgetName))

const BudgetBody = Schema.Struct({ budgetUsd: Schema.Finite }).pipe(withWireNames(budgetName))

const create = HttpApiEndpoint.post("create", "/v1/projects/:id/changes", {
  params: ById,
  payload: NewChangeBody,
  success: [ChangeAnswer.pipe(HttpApiSchema.status(201)), ChangeAnswer]
}).annotateMerge(
  about(
    writing,
    "Open a Change",
    "201 when it is new, 200 with the first one when `clientRequestId` was used before, whatever the body says. Where a language model is set up (`PAWL_MODEL_URL`) the goal is planned and worked afterwards, unless `startPlanning` is false. Without one the Change waits in `created` for a person's ChangeSet, and `startPlanning: true` is refused: 409 `planning_unavailable`."
  )
)

/** The query of a Project's list of Changes. */
export const ChangesParams = Schema.Struct({
  ...PageParams.fields,
  /** Only those in one of these statuses. */
  status: statusParam(changeStatuses),
  /** Only those of this kind. */
  kind: oneOfParam("kind", changeKinds),
  /** Only those of one of these risks. */
  riskTier: oneOfParam("riskTier", riskTiers),
  /** Only those that this one opened: an id such as `usr_…`. */
  createdBy: textParam(ServerLimits.searchLength),
  /** Only those in whose goal all of these words stand, in capitals or not, or whose id begins so. */
  q: searchParam,
  /** By when they were opened. Default `newest`. */
  order: Schema.optionalKey(Schema.Literals(["newest", "oldest"]))
})
export interface ChangesParams extends Schema.Schema.Type<typeof ChangesParams> {}

const list = HttpApiEndpoint.get("list", "/v1/projects/:id/changes", {
  params: ById,
  query: ChangesParams,
  success: pageOf(ChangeRecord)
}).annotateMerge(
  about(
    reading,
    "The Changes of a Project, newest first",
    `\`status\`, \`kind\` and \`riskTier\` keep those that have one of the values that are named, each as a \`status=\` of its own; \`createdBy\` those that its id opened; \`q\` those in whose goal each of its words stands somewhere, in capitals or not, or whose id begins so. What is given must all hold. A page by \`status\` alone is full unless it is the last. ${searchWords("Changes")} Ask for the next page with the same query.`
  )
)

const get = HttpApiEndpoint.get("get", "/v1/changes/:id", {
  params: ById,
  success: Schema.Struct({ ...ChangeAnswer.fields, overlaps: Schema.Array(Overlap) })
}).annotateMerge(
  about(reading, "A Change", "`overlaps`: what its agents write now and others write too. Nothing waits for that.")
)

const tasks = HttpApiEndpoint.get("tasks", "/v1/changes/:id/tasks", {
  params: ById,
  query: PageParams,
  success: pageOf(TaskRecord)
}).annotateMerge(about(reading, "The Tasks of a Change, oldest first"))

const modelCalls = HttpApiEndpoint.get("modelCalls", "/v1/changes/:id/model-calls", {
  params: ById,
  query: PageParams,
  success: pageOf(ModelCallRecord)
}).annotateMerge(
  about(
    reading,
    "The calls of models that a Change paid for, oldest first",
    "What its planner, its agents and its reviews asked. The `cost_usd` of all of them is what the Change has spent; `reserved_usd` of those that are `reserved` is what it keeps for them."
  )
)

const workGraph = HttpApiEndpoint.get("workGraph", "/v1/changes/:id/work-graph", {
  params: ById,
  success: Schema.Struct({ workGraph: Schema.Record(Schema.String, Schema.Unknown) })
}).annotateMerge(about(reading, "The Work Graph of a Change", "404 `unknown_work_graph` when nothing was planned."))

const cancel = HttpApiEndpoint.post("cancel", "/v1/changes/:id/cancel", {
  params: ById,
  success: ChangeAnswer
}).annotateMerge(
  about(
    writing,
    "Cancel a Change",
    "Its open Tasks and Candidates end with it. 409 `not_cancellable` once promotion has started."
  )
)

const budget = HttpApiEndpoint.post("budget", "/v1/changes/:id/budget", {
  params: ById,
  payload: BudgetBody,
  success: ChangeAnswer
}).annotateMerge(
  about(
    writing,
    "Raise the budget",
    "What the budget had stopped goes on. The same budget again changes nothing. 409 `budget_cannot_decrease`."
  )
)

/** Opening and ending one, its Tasks and its budget. */
export const ChangesApi = HttpApiGroup.make("changes")
  .add(create)
  .add(list)
  .add(get)
  .add(tasks)
  .add(modelCalls)
  .add(workGraph)
  .add(cancel)
  .add(budget)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Changes")
