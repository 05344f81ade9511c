/** The installation itself. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { requireOperator } from "@pawl/core/access/Organizations"
import { nowMillis } from "@pawl/core/primitives/Time"
import { Fleet, isSilent } from "@pawl/core/work/Fleet"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { Readiness } from "../Readiness.ts"

/** Handlers of `system`. */
export const SystemHttp = HttpApiBuilder.group(PawlApi, "system", (handlers) =>
  handlers.handle("get", () =>
    answering(
      Effect.gen(function* () {
        const { user } = yield* CurrentUser
        yield* requireOperator(user.id)
        const { environment, version } = yield* ApiSettings
        const readiness = yield* yield* Readiness
        const all = yield* (yield* Fleet).all
        const now = yield* nowMillis
        const processes = all.map((each) => ({ ...each, isSilent: isSilent(each, now) }))
        return { version, environment, readiness, processes }
      })
    )
  )
)
