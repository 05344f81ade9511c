/** Claims. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { listed } from "../answer/RecordPages.ts"
import { onProject } from "../request/Reach.ts"

/** Handlers of `claims`. */
export const ClaimsHttp = HttpApiBuilder.group(PawlApi, "claims", (handlers) =>
  handlers.handle("list", ({ params, query: { state, ...page } }) =>
    answering(
      Effect.flatMap(onProject(params.id), ({ id }) =>
        listed("claim", {
          projectId: id,
          order: "newest",
          ...(state === undefined ? {} : { where: { status: state } }),
          ...page
        })
      )
    )
  )
)
