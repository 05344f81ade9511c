/** Policies. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { backtest, type Tried } from "@pawl/core/approval/Backtests"
import { change, tagOfPolicy } from "@pawl/core/approval/Policies"
import { demand } from "@pawl/core/ledger/Decision"
import { demandPolicy, knownFields, unknownFields } from "../../api/groups/PoliciesApi.ts"
import { answeredPolicy } from "../../api/OutsideAgentsWords.ts"
import { ignoring } from "../../api/UnknownFields.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { listed } from "../answer/RecordPages.ts"
import { ifMatch, withTag } from "../answer/Validators.ts"
import { actor, onProject } from "../request/Reach.ts"

const shown = ({ change: { goal, id, status }, ...tried }: Tried) => ({
  changeId: id,
  goal,
  status,
  ...tried
})

/** Handlers of `policies`: putting one makes a new version. */
export const PoliciesHttp = HttpApiBuilder.group(PawlApi, "policies", (handlers) =>
  handlers
    .handle("get", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const policy = (yield* demand("policy", project.id)).record
          yield* withTag(tagOfPolicy(project.id, policy))
          return { policy: answeredPolicy(policy) }
        })
      )
    )
    .handle("versions", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const { id: projectId } = yield* onProject(params.id)
          const { items, nextCursor } = yield* listed("policyVersion", { projectId, order: "newest", ...query })
          return { items: items.map(answeredPolicy), nextCursor }
        })
      )
    )
    .handle("put", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          yield* demandPolicy(payload)
          const ignored = unknownFields(payload)
          const fields = yield* Effect.orDie(knownFields(payload))
          const expected = payload.expectedVersion ?? null
          const changed = yield* change(yield* actor, project.id, fields, expected, yield* ifMatch)
          yield* withTag(tagOfPolicy(project.id, changed))
          const policy = answeredPolicy(changed)
          return { policy, ...ignoring(ignored) }
        })
      )
    )
    .handle("backtest", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          yield* demandPolicy(payload)
          const ignored = unknownFields(payload)
          const fields = yield* Effect.orDie(knownFields(payload))
          const { items, policyVersion } = yield* backtest(yield* actor, project.id, fields)
          return { policyVersion, items: items.map(shown), ...ignoring(ignored) }
        })
      )
    )
)
