/** What a process stands on, whatever its roles. */
import { Settings } from "@pawl/core/primitives/Settings"
import { Layer } from "effect"
import type { Installation } from "./installations/Installation.ts"
import type { Addresses } from "./listen/Addresses.ts"
import type { Options } from "./Options.ts"
import type { Telemetry } from "./telemetry/Telemetry.ts"

/** What the parts of a process are made of. */
export interface ProcessParts {
  readonly options: Options
  readonly installation: Installation
  readonly addresses: Addresses
  /** No other process works in the data folder. */
  readonly alone: boolean
  readonly telemetry: Telemetry
}

/** What the use cases are told of the installation. */
export const settings = (options: Options, addresses: Addresses) =>
  Layer.succeed(Settings, {
    environment: options.environment,
    appsDomain: options.appsDomain,
    paused: options.paused,
    fixturesEnabled: options.fixturesEnabled,
    buildsPerDay: options.appBuildsPerDay,
    modelCallsPerDay: options.agentDailyCallCap,
    sandboxMsPerMonth: options.sandboxMinutesPerMonth * 60_000,
    bundleBytesPerProject: options.bundleMegabytesPerProject * 1024 ** 2,
    smokeRetryMs: options.smokeRetryMs,
    provenance: options.provenance,
    apiOrigin: addresses.apiOrigin,
    appUrl: addresses.appUrl
  })
