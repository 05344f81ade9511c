/** Rollbacks: an older tree as a new generation. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, writing } from "../Needs.ts"
import { ById } from "../PageParams.ts"
import { CandidateRecord, ChangeRecord } from "../RecordSchemas.ts"
import { NonNegativeInt } from "../DocumentSchemas.ts"

const RollbackBody = Schema.Struct({
  /** The generation whose tree is to be canonical again. It is older than the head. */
  targetGeneration: NonNegativeInt,
  /** The head that the caller has seen. */
  expectedGeneration: NonNegativeInt
})

const RollbackAnswer = Schema.Struct({ change: ChangeRecord, candidate: CandidateRecord })

/** One call, which opens a Change of kind `rollback`. */
export const RollbacksApi = HttpApiGroup.make("rollbacks")
  .add(
    HttpApiEndpoint.post("create", "/v1/projects/:id/rollback", {
      params: ById,
      payload: RollbackBody,
      success: RollbackAnswer.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      about(
        writing,
        "Ask for a rollback",
        "Answers a Change with a Candidate of the older tree, to be approved and promoted as any other; the same again answers the same while it is under way. 409 `stale` when `expectedGeneration` is not the head, whatever the target; then 404 `unknown_generation`; then 400 when the target is not older than the head."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Rollbacks")
