/** Several servers on one Postgres: each has its roles, and they may share a data folder. */
import type { RoleReport } from "@pawl/adapters-pg/rights/RightsLook"
import type * as RouterGrants from "@pawl/adapters-pg/rights/RouterGrants"
import type { RoleRefused } from "@pawl/adapters-pg/rights/RouterGrants"
import * as SharedFolder from "@pawl/adapters-local/sqlite/SharedFolder"
import { reasonOf } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { outlook, upgrade } from "@pawl/sql/Upgrade"
import * as StoreClock from "@pawl/sql/StoreClock"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  DatabaseUnavailable,
  type FoundDatabase,
  type Installation,
  onDatabase,
  orUnavailable,
  type Rights
} from "./Installation.ts"

/** Where the state is; the URL is never logged. */
export interface Database {
  readonly url: Redacted.Redacted
  readonly schema: string
}

/** The client of Postgres is read when one is used: the embedded server starts without it. */
const client = (database: Database, makesSchema: boolean) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@pawl/adapters-pg/PgClient")),
      (PgClient) => (makesSchema ? PgClient.layer(database) : PgClient.layerBeside(database))
    )
  )

/** The database, and its time in the place of this machine's. */
const timed = (database: Database) => Layer.provideMerge(StoreClock.layer, client(database, true))
/** The same, where nothing is to be made. */
const timedBeside = (database: Database) => Layer.provideMerge(StoreClock.layer, client(database, false))

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
    Effect.provide(client(database, false)),
    Effect.catchTag("SqlError", (error) => Effect.fail(new DatabaseUnavailable({ reason: reasonOf(error) })))
  )

const rightsOf = (database: Database): Rights => ({
  own: onDatabase(
    Effect.flatMap(
      Effect.promise(() => import("@pawl/adapters-pg/rights/RouterStart")),
      (RouterStart) => RouterStart.ownRights(database.schema)
    ),
    client(database, false)
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

/** An installation on this database, with its objects and repositories in `data`. */
export const make = (data: string, database: Database): Installation => ({
  state: orUnavailable(SqlStores.layer.pipe(Layer.provideMerge(timed(database)))),
  beside: orUnavailable(SqlStores.layerBeside.pipe(Layer.provideMerge(timedBeside(database)))),
  routing: orUnavailable(
    SqlStores.layerBeside.pipe(Layer.provide(routed(database)), Layer.provideMerge(timedBeside(database)))
  ),
  rights: rightsOf(database),
  restorable: orUnavailable(SqlStores.layer.pipe(Layer.provideMerge(timed(database)))),
  snapshot: Effect.flatMap(
    Effect.promise(() => import("@pawl/adapters-pg/PgSnapshot")),
    (PgSnapshot) => PgSnapshot.make(database)
  ),
  upgrade: onDatabase(upgrade, timed(database)),
  outlook: onDatabase(outlook, timed(database)),
  sharesRepositories: true,
  signsWithOthers: true,
  // Those on Postgres share a folder; the first of them clears what others left.
  enter: SharedFolder.share(data),
  // Others may be at work on another machine or in another folder: their leases end by themselves.
  takeBack: Effect.void,
  look: look(database)
})
