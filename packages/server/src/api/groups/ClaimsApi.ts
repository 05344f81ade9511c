/** Claims: who reads and writes what while Tasks are worked. */
import { ClaimStatus } from "@pawl/core/model/Claim"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, reading } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { ClaimRecord } from "../RecordSchemas.ts"

/** Reading them. They block nobody. */
export const ClaimsApi = HttpApiGroup.make("claims")
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/claims", {
      params: ById,
      query: Schema.Struct({ ...PageParams.fields, state: Schema.optionalKey(ClaimStatus) }),
      success: pageOf(ClaimRecord)
    }).annotateMerge(
      about(
        reading,
        "What the Tasks of a Project read and write, newest first",
        "What agents are at (`state` is `held`) and were at, or with `state` one of these. A claim blocks nobody: Tasks of one Change that write the same are worked one after the other, and agents of others are told."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Claims of Tasks")
