/**
 * What a Worker that was stopped says of the bound that it went over. The words are those of Cloudflare's pages of errors;
 * they were never seen from Cloudflare itself, and workerd on one's own machine stops nobody.
 */
import { AppOverLimit, AppThrew } from "@pawl/core/app/AppRuntime"
import { CloudflareLimits } from "../CloudflareLimits.ts"

const bounds: ReadonlyArray<readonly [RegExp, AppOverLimit["limit"]]> = [
  [/exceeded (?:its )?CPU(?: time)? limit|CPU time limit/i, "cpu"],
  [/exceeded (?:its )?memory limit/i, "memory"],
  [/too many subrequests|subrequest limit/i, "subrequests"]
]

/** Why an app gave no answer: it went over a bound, or it threw. */
export const failureOf = (version: string, cause: unknown): AppOverLimit | AppThrew => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const limit = bounds.find(([words]) => words.test(said))?.[1]
  if (limit !== undefined) return new AppOverLimit({ version, limit, retryAfterSeconds: 1 })
  return new AppThrew({ version, reason: said.slice(0, CloudflareLimits.appReasonLength) })
}
