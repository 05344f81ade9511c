/** The installation itself. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { requireOperator } from "@pawl/core/access/Organizations"
import { nowMillis } from "@pawl/core/primitives/Time"
import { installationUsage } from "@pawl/core/project/InstallationUsage"
import { Backlog } from "@pawl/core/telemetry/Backlog"
import { Fleet, isSilent } from "@pawl/core/work/Fleet"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { MachineFindings } from "../MachineFindings.ts"
import { Readiness } from "../Readiness.ts"

/** Whoever asks must look after the installation. */
const ofOperator = Effect.gen(function* () {
  const { user } = yield* CurrentUser
  yield* requireOperator(user.id)
})

const look = Effect.gen(function* () {
  yield* ofOperator
  const { environment, version } = yield* ApiSettings
  const readiness = yield* yield* Readiness
  const all = yield* (yield* Fleet).all
  const now = yield* nowMillis
  const processes = all.map((each) => ({ ...each, isSilent: isSilent(each, now) }))
  const queue = yield* (yield* Backlog).queue
  return { version, environment, readiness, processes, queue, usage: yield* installationUsage }
})

const findings = Effect.gen(function* () {
  yield* ofOperator
  return { items: yield* yield* MachineFindings }
})

/** Handlers of `system`. */
export const SystemHttp = HttpApiBuilder.group(PawlApi, "system", (handlers) =>
  handlers.handle("get", () => answering(look)).handle("findings", () => answering(findings))
)
