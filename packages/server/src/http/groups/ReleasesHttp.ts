/** Releases, failure injection, and release targets. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { injectFailure } from "@pawl/core/release/Injection"
import { deleteTarget, getTarget, putTarget } from "@pawl/core/project/ReleaseTargets"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { taggedWhole } from "../answer/Validators.ts"
import { actor, onProject, onRelease } from "../request/Reach.ts"

/** Handlers of `releases`: one of them, the failure that a fixture asks for, and the target of a Project. */
export const ReleasesHttp = HttpApiBuilder.group(PawlApi, "releases", (handlers) =>
  handlers
    .handle("get", ({ params }) =>
      answering(Effect.flatMap(onRelease(params.id), (release) => taggedWhole({ release })))
    )
    .handle("injectFailure", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return yield* injectFailure(yield* actor, project.id)
        })
      )
    )
    .handle("getTarget", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return { releaseTarget: yield* getTarget(project.id) }
        })
      )
    )
    .handle("putTarget", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return { releaseTarget: yield* putTarget(project.id, payload) }
        })
      )
    )
    .handle("deleteTarget", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return { releaseTarget: yield* deleteTarget(project.id) }
        })
      )
    )
)
