/** Candidates: ChangeSets composed, verified, and perhaps promoted. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { candidateStatuses } from "@pawl/core/model/Candidate"
import { Why } from "@pawl/core/why/Why"
import { Authenticated } from "../Authentication.ts"
import { diffed, DiffParams, pathWords } from "../Diffs.ts"
import { about, promoting, reading, writing } from "../Needs.ts"
import { ById, PageParams, pageOf, statusParam } from "../PageParams.ts"
import { CandidateRecord, DiffAnswer, EvidenceRecord, PreviewRecord } from "../RecordSchemas.ts"

const CandidateAnswer = Schema.Struct({ candidate: CandidateRecord })

/** Where a Candidate stands, why, and what comes next. */
export const WhyAnswer = Schema.Struct({
  ...Why.fields,
  /** Tasks of the Change that failed or are blocked, each with a sentence: what to do. */
  tasks: Schema.Array(Schema.Struct({ ...Why.fields.tasks.value.fields, next: Schema.String })),
  /** One sentence: what to do. */
  next: Schema.String
}).annotate({ identifier: "Why" })
export interface WhyAnswer extends Schema.Schema.Type<typeof WhyAnswer> {}

const NewCandidateBody = Schema.Struct({
  /** Default: all ChangeSets of the Change. */
  changeSetIds: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Ask again for a Candidate that was rejected only because checks could not run. */
  retry: Schema.optionalKey(Schema.Boolean)
})

const Promotion = Schema.Struct({
  outcome: Schema.Literals(["promoted", "alreadyPromoted"]),
  generation: Schema.Finite,
  commit: Schema.String,
  tree: Schema.String,
  /** Whether canonical `main` follows already. Promoting again repairs it. */
  sourceSynced: Schema.Boolean,
  /** Null when there is no app to release. */
  releaseId: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Promotion" })

const create = HttpApiEndpoint.post("create", "/v1/changes/:id/candidates", {
  params: ById,
  payload: NewCandidateBody,
  success: CandidateAnswer.pipe(HttpApiSchema.status(202))
}).annotateMerge(
  about(
    writing,
    "Ask for a Candidate",
    "The same composition always answers the same Candidate. 409 `no_source`, `candidate_limit`, `change_closed`."
  )
)

const list = HttpApiEndpoint.get("list", "/v1/changes/:id/candidates", {
  params: ById,
  query: Schema.Struct({ ...PageParams.fields, status: statusParam(candidateStatuses) }),
  success: pageOf(CandidateRecord)
}).annotateMerge(
  about(
    reading,
    "The Candidates of a Change, oldest first",
    "`status` keeps those in one of the statuses that are named, each as a `status=` of its own. Ask for the next page with the same `status`."
  )
)

const get = HttpApiEndpoint.get("get", "/v1/candidates/:id", { params: ById, success: CandidateAnswer }).annotateMerge(
  about(reading, "A Candidate")
)

const evidence = HttpApiEndpoint.get("evidence", "/v1/candidates/:id/evidence", {
  params: ById,
  query: Schema.Struct({
    ...PageParams.fields,
    output: Schema.optionalKey(Schema.Literals(["true", "false"]))
  }),
  success: pageOf(EvidenceRecord)
}).annotateMerge(
  about(
    reading,
    "What the checks of a Candidate left behind, oldest first",
    "With `output=true` each has the first 64 KiB of its output."
  )
)

const output = HttpApiEndpoint.get("output", "/v1/evidence/:id/output", {
  params: ById,
  success: Schema.String.annotate({ description: "a string" }).pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
}).annotateMerge(
  about(
    reading,
    "The output of a check",
    "The bytes that its evidence has the digest of; with `Range: bytes=…` a part of them. The answer has an `ETag`."
  )
)

const diff = HttpApiEndpoint.get("diff", "/v1/candidates/:id/diff", {
  params: ById,
  query: DiffParams,
  success: DiffAnswer
})
  .annotateMerge(
    about(
      reading,
      "What a Candidate changes on its base",
      `JSON with the packages that its lock files add, remove or move, or with \`Accept: text/plain\` git's unified form. ${pathWords} 409 \`not_composed\` before there is a commit.`
    )
  )
  .annotate(OpenApi.Transform, diffed)

const why = HttpApiEndpoint.get("why", "/v1/candidates/:id/why", { params: ById, success: WhyAnswer }).annotateMerge(
  about(
    reading,
    "Why a Candidate is where it is, and what to do",
    "Every block at once, each check that did not pass with the end of its output, what is owed, and what stands in the way."
  )
)

const preview = HttpApiEndpoint.get("preview", "/v1/candidates/:id/preview", {
  params: ById,
  success: Schema.Struct({ preview: PreviewRecord })
}).annotateMerge(
  about(
    reading,
    "Where a Candidate can be tried",
    "404 `unknown_preview` before its `build` check passed, and after the preview expired."
  )
)

const promote = HttpApiEndpoint.post("promote", "/v1/candidates/:id/promote", {
  params: ById,
  success: Promotion
}).annotateMerge(
  about(
    promoting,
    "Promote a Candidate",
    "Safe to repeat. 409 `stale`; 409 `blocked` with every block at once; 409 `promotion_under_way` while its Change is promoting another Candidate."
  )
)

/** Composing, reading and promoting them, with their Evidence and previews. */
export const CandidatesApi = HttpApiGroup.make("candidates")
  .add(create)
  .add(list)
  .add(get)
  .add(evidence)
  .add(output)
  .add(diff)
  .add(why)
  .add(preview)
  .add(promote)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Candidates and their evidence")
