/** `GET /health`. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { PawlApi } from "../api/PawlApi.ts"
import { ApiSettings } from "./ApiSettings.ts"

export const ServiceHttp = HttpApiBuilder.group(PawlApi, "service", (handlers) =>
  Effect.map(ApiSettings, ({ environment, version }) =>
    handlers.handle("health", () => Effect.succeed({ status: "ok" as const, version, environment }))
  )
)
