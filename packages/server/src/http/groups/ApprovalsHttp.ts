/** Approvals. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { decide } from "@pawl/core/approval/Approvals"
import { challengeFor } from "@pawl/core/approval/SignedDecision"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { listed } from "../answer/RecordPages.ts"
import { actor, onCandidate, onChange } from "../request/Reach.ts"

/** Handlers of `approvals`. Who decides is the caller, never a field of the body. */
export const ApprovalsHttp = HttpApiBuilder.group(PawlApi, "approvals", (handlers) =>
  handlers
    .handle("list", ({ params, query }) =>
      answering(
        Effect.flatMap(onChange(params.id), (change) =>
          listed("approval", { projectId: change.projectId, where: { changeId: change.id }, ...query })
        )
      )
    )
    .handle("approve", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          return { approval: yield* decide(yield* actor, { ...payload, changeId: change.id }) }
        })
      )
    )
    .handle("challenge", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const candidate = yield* onCandidate(params.id)
          return yield* challengeFor(candidate, query.decision ?? "granted", (yield* actor).id)
        })
      )
    )
)
