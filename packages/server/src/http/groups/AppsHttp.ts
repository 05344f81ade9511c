/** A Project's live application. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { requestApp } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import { find } from "@pawl/core/ledger/Decision"
import { pointerKey } from "@pawl/core/model/Entities"
import { Settings } from "@pawl/core/primitives/Settings"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { appAnswer } from "./AppAnswers.ts"
import { appLogs } from "./AppLogPages.ts"
import { actor, onProject } from "../request/Reach.ts"

/** Handlers of `apps`. Where no apps are served, `enabled` is false. */
export const AppsHttp = HttpApiBuilder.group(PawlApi, "apps", (handlers) =>
  handlers
    .handle("get", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const enabled = (yield* Settings).appsDomain !== null
          const pointer = yield* find("pointer", pointerKey(project.id, "production"))
          return { enabled, app: pointer === null ? null : yield* appAnswer(pointer.record) }
        })
      )
    )
    .handle("deploy", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return { app: yield* appAnswer(yield* requestApp(project.id)) }
        })
      )
    )
    .handle("remove", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return { app: yield* appAnswer(yield* remove(yield* actor, project.id)) }
        })
      )
    )
    .handle("logs", ({ params, request, query }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return yield* appLogs(project.id, query, request.headers)
        })
      )
    )
)
