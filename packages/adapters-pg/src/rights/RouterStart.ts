/** What a process that only routes asks of its database before it begins: the shape, and the rights. It makes neither. */
import type * as SqlClient from "effect/sql/SqlClient"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { unavailable } from "@pawl/sql/Failures"
import { demandShape, isBehind } from "@pawl/sql/Migrations"
import { Effect, Schedule, Schema } from "effect"
import { PgLimits } from "../PgLimits.ts"
import { look, type RoleReport, roleOf } from "./RightsLook.ts"

/** Somebody else has to do something to the database first, and may be about to. */
class NotYet extends Schema.TaggedError<NotYet>()("NotYet", { reason: Schema.String }) {}

const waits = (reason: string) => new NotYet({ reason })

/** Some of many, in words. */
const listed = (all: ReadonlyArray<string>): string => {
  const shown = all.slice(0, PgLimits.rightsShown)
  return `${shown.join(", ")}${all.length > shown.length ? ` and ${all.length - shown.length} more` : ""}`
}

/** What is wrong with the rights of a user, in words; null for one who has those of a router and no others. */
export const rightsProblem = ({ missing, role, surplus, unbound }: RoleReport): string | null => {
  if (missing.length > 0) return `the user ${role} lacks ${listed(missing)}`
  if (unbound !== null) return `the user ${role} may do everything: ${unbound}`
  return surplus.length === 0 ? null : `the user ${role} has more than a router needs: ${listed(surplus)}`
}

/** What mends that, as a command of who owns the tables. */
export const rightsRemedy = ({ role, unbound }: RoleReport): string =>
  `pawl migrate --grant-router ${unbound === null ? role : "<another user>"}`

/** What the user that asks may do. */
export const ownRights = (schema: string): Effect.Effect<RoleReport, LedgerUnavailable, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const role = yield* roleOf(null)
    if (role === null) return yield* Effect.die(new Error("the current user is no role"))
    return yield* look(role, schema)
  }).pipe(Effect.catchTag("SqlError", unavailable("look at rights")))

const prepared = Effect.fnUntraced(function* (schema: string) {
  const report = yield* ownRights(schema)
  if (report.missing.length > 0)
    return yield* waits(`${rightsProblem(report)}: run \`${rightsRemedy(report)}\` as the owner of the tables`)
  yield* Effect.mapError(demandShape, (problem) => (isBehind(problem) ? waits(problem.reason) : problem))
  return report
})

/**
 * Waits until the database has the shape of this version and the user has its rights, for `PgLimits.routerWaitMs`: who
 * brings it there may have been started at the same time. Rights that are too many are told in the log.
 */
export const awaitRouting = (schema: string): Effect.Effect<void, LedgerUnavailable, SqlClient.SqlClient> => {
  const times = PgLimits.routerWaitMs / PgLimits.routerLookMs
  let isTold = false
  return prepared(schema).pipe(
    Effect.tapErrorTag("NotYet", ({ reason }) => {
      if (isTold) return Effect.void
      isTold = true
      return Effect.logWarning(`the database is not prepared yet: ${reason}`)
    }),
    Effect.retry({
      while: (problem) => problem._tag === "NotYet",
      schedule: Schedule.spaced(PgLimits.routerLookMs).pipe(Schedule.upTo({ times }))
    }),
    Effect.catchTag("NotYet", ({ reason }) => Effect.fail(new LedgerUnavailable({ operation: "open", reason }))),
    Effect.flatMap((report) =>
      report.unbound === null && report.surplus.length > 0
        ? Effect.logWarning(`${rightsProblem(report)}; take it away with \`${rightsRemedy(report)}\``)
        : Effect.void
    )
  )
}
