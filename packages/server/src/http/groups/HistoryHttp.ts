/** What happened to a Change, and in a Project. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { History } from "@pawl/core/ledger/History"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { onChange, onProject } from "../request/Reach.ts"

/** Handlers of `history`: pages of changed statuses, with who changed them and why. */
export const HistoryHttp = HttpApiBuilder.group(PawlApi, "history", (handlers) =>
  handlers
    .handle("ofChange", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          return yield* (yield* History).ofChange(change.id, query)
        })
      )
    )
    .handle("ofProject", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return yield* (yield* History).ofProject(project.id, query)
        })
      )
    )
)
