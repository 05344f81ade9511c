/** Rollbacks. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { foresee } from "@pawl/core/promotion/RollbackPlans"
import { request } from "@pawl/core/promotion/Rollbacks"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { DiffSlots } from "./DiffSlots.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { actor, onProject } from "../request/Reach.ts"

/** Handlers of `rollbacks`: answers what one would do, and the Change and the Candidate that a rollback is. */
export const RollbacksHttp = HttpApiBuilder.group(PawlApi, "rollbacks", (handlers) =>
  handlers
    .handle("create", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return yield* request(yield* actor, { ...payload, projectId: project.id })
        })
      )
    )
    .handle("plan", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const { user } = yield* CurrentUser
          // It has git compare two trees, as a diff does.
          const inSlot = (yield* DiffSlots).withSlot(user.id)
          const { targetGeneration, expectedGeneration = null } = payload
          return { plan: yield* inSlot(foresee(project.id, targetGeneration, expectedGeneration)) }
        })
      )
    )
)
