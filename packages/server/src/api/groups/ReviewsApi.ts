/** Reviews: what a model said of Candidates. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, reading } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { ReviewRecord } from "../RecordSchemas.ts"

/** Reading them. No gate does. */
export const ReviewsApi = HttpApiGroup.make("reviews")
  .add(
    HttpApiEndpoint.get("list", "/v1/changes/:id/reviews", {
      params: ById,
      query: PageParams,
      success: pageOf(ReviewRecord)
    }).annotateMerge(
      about(
        reading,
        "What a model said of the Candidates of a Change, newest first",
        "Advice, paid by the Change within its budget. Candidates are looked at where others write the same, or where their risk is not low; each once."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Reviews of Candidates by a model")
