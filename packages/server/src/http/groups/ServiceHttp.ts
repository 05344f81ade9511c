/** `GET /health` and `GET /health/ready`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PawlApi } from "../../api/PawlApi.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { Readiness } from "../Readiness.ts"

/** Handlers of `service`, which need no token. */
export const ServiceHttp = HttpApiBuilder.group(PawlApi, "service", (handlers) =>
  Effect.map(Effect.all([ApiSettings, Readiness]), ([{ environment, version }, readiness]) =>
    handlers
      .handle("health", () => Effect.succeed({ status: "ok" as const, version, environment }))
      .handle("ready", () => readiness)
  )
)
