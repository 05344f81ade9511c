/** How much an installation may do, by the options of a server on a machine. Pure. */
import { Limits } from "@pawl/core/primitives/Limits"
import { ServerLimits } from "@pawl/server/ServerLimits"
import type { Installation } from "./Scripts.ts"
import { whole } from "./WholeNumber.ts"

/** Of these an operator decides by the environment of the deployment. */
export type Bounds = Pick<Installation, "paused" | "requestsPerMinute" | "buildsPerDay" | "sandboxMinutesPerMonth">

const counts = {
  requestsPerMinute: ["PAWL_API_RATE_PER_MINUTE", ServerLimits.requestsPerMinute],
  buildsPerDay: ["PAWL_APP_BUILDS_PER_DAY", Limits.buildsPerDay],
  sandboxMinutesPerMonth: ["PAWL_SANDBOX_MINUTES_PER_MONTH", Limits.sandboxMsPerMonth / 60_000]
} as const satisfies Readonly<Record<Exclude<keyof Bounds, "paused">, readonly [variable: string, usual: number]>>

/** The bounds that an environment names, with the usual ones for the rest; or what is wrong with it, in words. */
export const boundsOf = (environment: Readonly<Record<string, string | undefined>>): Bounds | string => {
  const paused = environment["PAWL_PAUSED"] || "false"
  if (paused !== "true" && paused !== "false") return "PAWL_PAUSED: use true or false"
  const found: Record<keyof typeof counts, number> = {
    requestsPerMinute: 0,
    buildsPerDay: 0,
    sandboxMinutesPerMonth: 0
  }
  for (const name of Object.keys(counts) as ReadonlyArray<keyof typeof counts>) {
    const [variable, usual] = counts[name]
    const given = whole(environment[variable] || String(usual), 1)
    if (given === null) return `${variable}: use a whole number above 0`
    found[name] = given
  }
  return { paused: paused === "true", ...found }
}
