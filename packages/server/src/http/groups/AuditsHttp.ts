/** Audits. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { requestRebuild } from "@pawl/core/audit/AuditRequests"
import { lastReport, run } from "@pawl/core/audit/Audits"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { onProject } from "../request/Reach.ts"

/** Handlers of `audits`: a run is answered when it is done, and the last one is kept. */
export const AuditsHttp = HttpApiBuilder.group(PawlApi, "audits", (handlers) =>
  handlers
    .handle("run", ({ params }) =>
      answering(Effect.flatMap(onProject(params.id), ({ id }) => Effect.map(run(id), (audit) => ({ audit }))))
    )
    .handle("rebuild", ({ params, payload }) =>
      answering(
        Effect.flatMap(onProject(params.id), ({ id }) =>
          Effect.map(requestRebuild(id, payload.generation), (rebuild) => ({ rebuild }))
        )
      )
    )
    .handle("get", ({ params }) =>
      answering(Effect.flatMap(onProject(params.id), ({ id }) => Effect.map(lastReport(id), (audit) => ({ audit }))))
    )
)
