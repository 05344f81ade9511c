/** How often the checks of a Project are flaky: counted from Evidence alone, never from what a model says. It only reads. */
import { Effect, Schema } from "effect"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Evidence } from "../model/Evidence.ts"
import { Flake } from "../model/Flake.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"

/** How often a check was flaky, among the newest `Limits.flakeRowsLookedAt` rows of Evidence of its Project. */
export const FlakeRate = Schema.Struct({
  /** Of the plan. */
  checkId: Schema.String,
  /** How often it ran to an end; retries are not counted. */
  runs: Schema.Finite,
  /** How many of those failed. */
  failures: Schema.Finite,
  /** How many of those failures passed on the same tree when they were retried. */
  flakes: Schema.Finite,
  /** `flakes` among `runs`, 0 to 1. */
  rate: Schema.Finite
})
export interface FlakeRate extends Schema.Schema.Type<typeof FlakeRate> {}

/** The rates of checks, by their rows of Evidence, in any order. Pure. */
const ratesOf = (rows: ReadonlyArray<Evidence>): ReadonlyArray<FlakeRate> => {
  const ran = rows.filter(({ result, subject }) => result !== "gap" && subject.candidateId !== undefined)
  const ids = [...new Set(ran.map(({ checkId }) => checkId))].sort()
  return ids.map((checkId) => {
    const own = ran.filter((row) => row.checkId === checkId)
    const first = own.filter(({ retryOf }) => retryOf === undefined)
    const failed = first.filter(({ result }) => result === "fail")
    const passedAgain = (failure: Evidence) =>
      own.some(({ result, retryOf, tree }) => retryOf === failure.id && result === "pass" && tree === failure.tree)
    const flakes = failed.filter(passedAgain).length
    const runs = first.length
    return { checkId, runs, failures: failed.length, flakes, rate: runs === 0 ? 0 : flakes / runs }
  })
}

/** The rates of a Project's checks, by their ids. */
export const flakeRates = Effect.fnUntraced(function* (projectId: string) {
  const asked = { projectId, order: "newest", limit: Limits.flakeRowsLookedAt } as const
  const page = yield* (yield* Records).list("evidence", asked)
  return ratesOf(page.items.map(({ record }) => record))
})

/** What a Project knows of its flakes. */
export const Flakes = Schema.Struct({
  /** Of every check that ran, by its id. */
  checks: Schema.Array(
    Schema.Struct({
      ...FlakeRate.fields,
      /** Until when the Policy has it in quarantine; null when it is not. */
      quarantinedUntil: Schema.NullOr(Timestamp)
    })
  ),
  /** The newest ones, newest first, at most `Limits.pageSize`. */
  flakes: Schema.Array(Flake)
})
export interface Flakes extends Schema.Schema.Type<typeof Flakes> {}

/** The check that a waiver names: of one with `@base`, the check whose form it is. */
const waivedAs = (checkId: string): string => checkId.replace(/@base$/, "")

/** The ids that a quarantine of a check is for: its own, and that with the base's form of its files. */
const flakyIds = (checkId: string): ReadonlyArray<string> => [checkId, `${checkId}@base`]

/** Whether a Project has seen a check fail and pass on one tree. */
export const hasFlake = Effect.fnUntraced(function* (projectId: string, checkId: string) {
  const page = yield* (yield* Records).list("flake", { projectId, where: { checkId: flakyIds(checkId) }, limit: 1 })
  return page.items.length > 0
})

/** All that a Project knows of its flakes at a moment. */
export const flakesOf = Effect.fnUntraced(function* (projectId: string, now: Timestamp) {
  const rates = yield* flakeRates(projectId)
  const page = yield* (yield* Records).list("flake", { projectId, order: "newest", limit: Limits.pageSize })
  const waived = (yield* find("policy", projectId))?.record.waivedChecks ?? []
  const quarantined = waived.filter(({ because, until }) => because === "flaky" && until > now)
  return {
    checks: rates.map((rate) => ({
      ...rate,
      quarantinedUntil: quarantined.find(({ id }) => id === waivedAs(rate.checkId))?.until ?? null
    })),
    flakes: page.items.map(({ record }) => record)
  } satisfies Flakes
}, Effect.withSpan("Flakes.flakes"))
