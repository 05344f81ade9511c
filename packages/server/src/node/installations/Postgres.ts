/** Several servers on one Postgres: each has its roles, and they may share a data folder. */
import * as SharedFolder from "@pawl/adapters-local/sqlite/SharedFolder"
import type { Join } from "@pawl/core/ledger/Notices"
import { reasonOf } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { outlook, upgrade } from "@pawl/sql/Upgrade"
import * as StoreClock from "@pawl/sql/StoreClock"
import { Effect, Layer, type Redacted } from "effect"
import { joinForAMoment, joinOf } from "../NoticeCarriers.ts"
import type { NoticesChoice } from "../NoticesOptions.ts"
import { type FoundDatabase, type Installation, onDatabase, orUnavailable } from "./Installation.ts"

/** Where the state is; the URL is never logged. */
export interface Database {
  readonly url: Redacted.Redacted
  readonly schema: string
}

/** The client of Postgres is read when one is used: the embedded server starts without it. */
const client = (database: Database, notices: Join | undefined) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@pawl/adapters-pg/PgClient")),
      (PgClient) => PgClient.layer({ ...database, ...(notices === undefined ? {} : { notices }) })
    )
  )

/** The database, and its time in the place of this machine's. */
const timed = (database: Database, notices: Join | undefined) =>
  Layer.provideMerge(StoreClock.layer, client(database, notices))

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
const forAMoment = (database: ReturnType<typeof timed>) => ({
  beside: orUnavailable(SqlStores.layerBeside.pipe(Layer.provideMerge(database))),
  restorable: orUnavailable(SqlStores.layer.pipe(Layer.provideMerge(database))),
  upgrade: onDatabase(upgrade, database),
  outlook: onDatabase(outlook, database)
})

/** An installation on this database, with its objects and repositories in `data`. */
export const make = (data: string, database: Database, notices: NoticesChoice): Installation => ({
  state: orUnavailable(SqlStores.layer.pipe(Layer.provideMerge(timed(database, joinOf(notices))))),
  ...forAMoment(timed(database, joinForAMoment(notices))),
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
