/** Reviews. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { listed } from "../answer/RecordPages.ts"
import { onChange } from "../request/Reach.ts"

/** Handlers of `reviews`. */
export const ReviewsHttp = HttpApiBuilder.group(PawlApi, "reviews", (handlers) =>
  handlers.handle("list", ({ params, query }) =>
    answering(
      Effect.flatMap(onChange(params.id), ({ id, projectId }) =>
        listed("review", { projectId, where: { changeId: id }, order: "newest", ...query })
      )
    )
  )
)
