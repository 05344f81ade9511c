/** How this installation is set up (decisions, "Environment"). A host program provides its own. */
import { Context } from "effect"
import { Limits } from "./Limits.ts"

/** What one process is set up with, for as long as it runs. */
export interface SettingsShape {
  readonly environment: "production" | "development"
  /** Null: no live apps. */
  readonly appsDomain: string | null
  readonly paused: boolean
  readonly fixturesEnabled: boolean
  readonly buildsPerDay: number
  /** How long checks may run in sandboxes in one month (UTC), in all. */
  readonly sandboxMsPerMonth: number
  /** What the bundles of one Project may come to before somebody is told. Default: `Limits.bundleBytesPerProject`. */
  readonly bundleBytesPerProject?: number
  readonly smokeRetryMs: number
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
