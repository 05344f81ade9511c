/** Flakes: checks that failed and passed on one tree. */
import { Flakes } from "@pawl/core/verification/Flakes"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, reading } from "../Needs.ts"
import { ById } from "../PageParams.ts"

/** Reading how often the checks of a Project are flaky. */
export const FlakesApi = HttpApiGroup.make("flakes")
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/flakes", { params: ById, success: Flakes }).annotateMerge(
      about(
        reading,
        "How often the checks of a Project are flaky",
        "Counted from the newest 500 rows of Evidence: of each check how often it ran, failed, and passed on the same tree when it was retried; and the newest flakes themselves."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Flaky checks")
