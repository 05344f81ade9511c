/** How this installation is set up (decisions, "Environment"). A host program provides its own. */
import { Context } from "effect"
import { Limits } from "./Limits.ts"

/**
 * What is done about statements that are missing or do not verify: `warn` says so, `enforce` also serves no such release.
 * They are written and signed either way.
 */
export const provenanceModes = ["off", "warn", "enforce"] as const
/** One of `provenanceModes`. */
export type ProvenanceMode = (typeof provenanceModes)[number]

/** What one process is set up with, for as long as it runs. */
export interface SettingsShape {
  /**
   * Which retention and release paths hold: live apps are for production (specification, "What the service does", 3).
   */
  readonly environment: "production" | "development"
  /** The registrable domain of the hosts of apps, without a port; null: no live apps. */
  readonly appsDomain: string | null
  /** No tick fires and no scheduled work is sent. */
  readonly paused: boolean
  /** Whether failures may be injected. */
  readonly fixturesEnabled: boolean
  /** How many apps may be built in one day (UTC), in all. */
  readonly buildsPerDay: number
  /** How many calls of models may be made in one day (UTC), in all. Default: `Limits.modelCallsPerDay`. */
  readonly modelCallsPerDay?: number
  /** How long checks may run in sandboxes in one month (UTC), in all, in milliseconds. */
  readonly sandboxMsPerMonth: number
  /**
   * Bytes that the bundles of one Project may come to before somebody is told. Default: `Limits.bundleBytesPerProject`.
   */
  readonly bundleBytesPerProject?: number
  /** How long a failed probe waits before it is asked once more, in milliseconds. */
  readonly smokeRetryMs: number
  /** Default: `off`. */
  readonly provenance?: ProvenanceMode
  /** Where people reach the API and the console: the only site whose passkeys count. Without it: each of their name. */
  readonly apiOrigin?: string
  /** The address of an app as people open it, from its host name: scheme and port are the installation's. */
  readonly appUrl: (host: string) => string
}

/** Without settings of its own a program is in production, at `apps.localhost`, with the limits' budgets. */
export const Settings = Context.Reference("@pawl/core/primitives/Settings", {
  defaultValue: (): SettingsShape => ({
    environment: "production",
    appsDomain: "apps.localhost",
    paused: false,
    fixturesEnabled: false,
    buildsPerDay: Limits.buildsPerDay,
    sandboxMsPerMonth: Limits.sandboxMsPerMonth,
    smokeRetryMs: Limits.probeRetryMs,
    appUrl: (host) => `http://${host}/`
  })
})
