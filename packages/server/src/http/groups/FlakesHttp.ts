/** Flakes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { now } from "@pawl/core/primitives/Time"
import { flakesOf } from "@pawl/core/verification/Flakes"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { onProject } from "../request/Reach.ts"

/** Handlers of `flakes`. */
export const FlakesHttp = HttpApiBuilder.group(PawlApi, "flakes", (handlers) =>
  handlers.handle("list", ({ params }) =>
    answering(Effect.flatMap(onProject(params.id), ({ id }) => Effect.flatMap(now, (at) => flakesOf(id, at))))
  )
)
