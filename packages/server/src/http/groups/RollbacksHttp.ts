/** Rollbacks. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { request } from "@pawl/core/promotion/Rollbacks"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { actor, onProject } from "../request/Reach.ts"

/** Handlers of `rollbacks`: answers the Change and the Candidate that a rollback is. */
export const RollbacksHttp = HttpApiBuilder.group(PawlApi, "rollbacks", (handlers) =>
  handlers.handle("create", ({ params, payload }) =>
    answering(
      Effect.gen(function* () {
        const project = yield* onProject(params.id)
        const { targetGeneration, expectedGeneration } = payload
        return yield* request(yield* actor, { projectId: project.id, targetGeneration, expectedGeneration })
      })
    )
  )
)
