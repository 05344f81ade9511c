/** Several servers on one Postgres: each has its roles, and they may share a data folder. */
import type { RoleReport } from "@pawl/adapters-pg/rights/RightsLook"
import type * as RouterGrants from "@pawl/adapters-pg/rights/RouterGrants"
import type { RoleRefused } from "@pawl/adapters-pg/rights/RouterGrants"
import * as SharedFolder from "@pawl/adapters-local/sqlite/SharedFolder"
import type { Join } from "@pawl/core/ledger/Notices"
import { reasonOf } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { outlook, upgrade } from "@pawl/sql/Upgrade"
import * as StoreClock from "@pawl/sql/StoreClock"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { joinForAMoment, joinOf } from "../NoticeCarriers.ts"
import type { NoticesChoice } from "../NoticesOptions.ts"
import {
  DatabaseUnavailable,
  type FoundDatabase,
  type Installation,
  onDatabase,
  orUnavailable,
  type Rights,
  wholeStores
} from "./Installation.ts"

/** Where the state is; the URL is never logged. */
export interface Database {
  readonly url: Redacted.Redacted
  readonly schema: string
}

/** The client of Postgres is read when one is used: the embedded server starts without it. */
const client = (database: Database, makesSchema: boolean, notices: Join | undefined) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@pawl/adapters-pg/PgClient")),
      (PgClient) => {
        const options = { ...database, ...(notices === undefined ? {} : { notices }) }
        return makesSchema ? PgClient.layer(options) : PgClient.layerBeside(options)
      }
    )
  )

/** The database, and its time in the place of this machine's. */
const timed = (database: Database, notices: Join | undefined) =>
  Layer.provideMerge(StoreClock.layer, client(database, true, notices))
/** The same, where nothing is to be made. */
const timedBeside = (database: Database, notices: Join | undefined) =>
  Layer.provideMerge(StoreClock.layer, client(database, false, notices))

/** Waits until a process that only routes can begin. */
const routed = ({ schema }: Database) =>
  Layer.effectDiscard(
    Effect.flatMap(
      Effect.promise(() => import("@pawl/adapters-pg/rights/RouterStart")),
      (RouterStart) => RouterStart.awaitRouting(schema)
    )
  )

/** A look at rights, or a change of them, on a database where nothing is made. */
const onRoles = (
  database: Database,
  work: (grants: typeof RouterGrants) => Effect.Effect<RoleReport, RoleRefused | SqlError, SqlClient>
): Effect.Effect<RoleReport, DatabaseUnavailable | RoleRefused> =>
  Effect.flatMap(
    Effect.promise(() => import("@pawl/adapters-pg/rights/RouterGrants")),
    work
  ).pipe(
    Effect.provide(client(database, false, undefined)),
    Effect.catchTag("SqlError", (error) => Effect.fail(new DatabaseUnavailable({ reason: reasonOf(error) })))
  )

const rightsOf = (database: Database): Rights => ({
  own: onDatabase(
    Effect.flatMap(
      Effect.promise(() => import("@pawl/adapters-pg/rights/RouterStart")),
      (RouterStart) => RouterStart.ownRights(database.schema)
    ),
    client(database, false, undefined)
  ),
  of: (role) => onRoles(database, (grants) => grants.rightsOf(role, database.schema)),
  grantRouter: (role) => onRoles(database, ({ grantRouter }) => grantRouter(role, database.schema))
})

const look = (database: Database): Effect.Effect<FoundDatabase> =>
  Effect.promise(() => import("@pawl/adapters-pg/PgPool")).pipe(
    Effect.flatMap((PgPool) => PgPool.versionOf(database)),
    Effect.map((version) => ({
      state: "ok" as const,
      found: `Postgres ${version}, schema ${database.schema}`,
      remedy: null
    })),
    Effect.catch((problem) =>
      Effect.succeed({
        state: "missing" as const,
        found: `Postgres cannot be used: ${reasonOf(problem)}`,
        remedy: "start Postgres, or correct PAWL_DATABASE_URL"
      })
    )
  )

/** What commands work on, not servers. */
const forAMoment = (database: Database, notices: Join | undefined) => {
  const made = timed(database, notices)
  return {
    beside: orUnavailable(SqlStores.layerBeside.pipe(Layer.provideMerge(timedBeside(database, notices)))),
    restorable: orUnavailable(SqlStores.layer.pipe(Layer.provideMerge(made))),
    upgrade: onDatabase(upgrade, made),
    outlook: onDatabase(outlook, made)
  }
}

/** An installation on this database, with its objects and repositories in `data`. */
export const make = (data: string, database: Database, notices: NoticesChoice): Installation => ({
  state: orUnavailable(wholeStores.pipe(Layer.provideMerge(timed(database, joinOf(notices))))),
  routing: orUnavailable(
    SqlStores.layerBeside.pipe(
      Layer.provide(routed(database)),
      Layer.provideMerge(timedBeside(database, joinOf(notices)))
    )
  ),
  rights: rightsOf(database),
  ...forAMoment(database, joinForAMoment(notices)),
  snapshot: Effect.flatMap(
    Effect.promise(() => import("@pawl/adapters-pg/PgSnapshot")),
    (PgSnapshot) => PgSnapshot.make(database)
  ),
  sharesRepositories: true,
  signsWithOthers: true,
  // Those on Postgres share a folder; the first of them clears what others left.
  enter: SharedFolder.share(data),
  // Others may be at work on another machine or in another folder: their leases end by themselves.
  takeBack: Effect.void,
  look: look(database)
})
