/** ChangeSets: edits of a Change, each a commit of its own. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Limits } from "@pawl/core/primitives/Limits"
import { Authenticated } from "../Authentication.ts"
import { diffed, DiffParams, pathWords } from "../Diffs.ts"
import { EditedFiles } from "../Files.ts"
import { about, BodyLimit, reading, writing } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { ChangeSetRecord, DiffAnswer } from "../RecordSchemas.ts"
import { NonNegativeInt } from "../DocumentSchemas.ts"

const ChangeSetAnswer = Schema.Struct({ changeset: ChangeSetRecord })

const NewChangeSetBody = Schema.Struct({
  message: Schema.String,
  files: Schema.optionalKey(EditedFiles),
  /** In the place of `files`: a unified diff of what the edit builds on, as `git diff` writes it. */
  patch: Schema.optionalKey(Schema.String),
  /** The Task that it completes, which the caller holds. Without it the edit is a Task of its own. */
  taskId: Schema.optionalKey(Schema.String),
  /** Without it the edit builds on the caller's newest ChangeSet of this Change, else on the head. */
  baseGeneration: Schema.optionalKey(NonNegativeInt)
})

/** Publishing an edit, and reading what was published. */
export const ChangeSetsApi = HttpApiGroup.make("changesets")
  .add(
    HttpApiEndpoint.post("create", "/v1/changes/:id/changesets", {
      params: ById,
      payload: NewChangeSetBody,
      success: ChangeSetAnswer.pipe(HttpApiSchema.status(201))
    })
      .annotate(BodyLimit, Limits.sourceBodyBytes)
      .annotateMerge(
        about(
          writing,
          "Record an edit",
          "`files`, or a `patch` of what it builds on, which must fit exactly: 400 `patch_malformed`, 409 `patch_misfit`. It passes the same checks as agents' work. With `taskId` it completes a Task that the caller took over, and builds on what that depends on. 409 `change_closed`, `changeset_limit`, `no_source`; of the Task `task_not_held`, `task_closed`, `task_not_workable`."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/changes/:id/changesets", {
      params: ById,
      query: PageParams,
      success: pageOf(ChangeSetRecord)
    }).annotateMerge(
      about(
        reading,
        "The ChangeSets of a Change, oldest first",
        "One whose list of files is too long for its record has a `cut` here, and only the first of them."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/changesets/:id", { params: ById, success: ChangeSetAnswer }).annotateMerge(
      about(reading, "A ChangeSet", "With all of its files and intents.")
    )
  )
  .add(
    HttpApiEndpoint.get("diff", "/v1/changesets/:id/diff", { params: ById, query: DiffParams, success: DiffAnswer })
      .annotateMerge(
        about(
          reading,
          "What a ChangeSet changes",
          `JSON, or with \`Accept: text/plain\` git's unified form. ${pathWords}`
        )
      )
      .annotate(OpenApi.Transform, diffed)
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "ChangeSets")
