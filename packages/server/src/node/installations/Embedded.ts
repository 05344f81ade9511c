/** One server on one machine: the state in a SQLite file of its data folder, which it has to itself. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as DataFolder from "@pawl/adapters-local/sqlite/DataFolder"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as SqliteSnapshot from "@pawl/adapters-local/sqlite/SqliteSnapshot"
import * as Notices from "@pawl/core/ledger/Notices"
import { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import { Commands } from "@pawl/core/work/Commands"
import { Fleet } from "@pawl/core/work/Fleet"
import * as SqlStores from "@pawl/sql/SqlStores"
import { nothingYet, outlook, upgrade } from "@pawl/sql/Upgrade"
import { Cause, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  type FoundDatabase,
  type Installation,
  onDatabase,
  orUnavailable,
  unavailable,
  wholeStores
} from "./Installation.ts"

/** The version of SQLite, asked of a database in memory. */
const look: Effect.Effect<FoundDatabase> = Effect.scoped(
  Effect.gen(function* () {
    const services = yield* Layer.build(SqliteClient.layer({ filename: ":memory:" }))
    const sql = yield* Effect.provide(SqlClient.SqlClient, services)
    const rows = yield* sql<{ readonly version: string }>`select sqlite_version() as version`
    return { state: "ok", found: `SQLite ${rows[0]?.version ?? ""}`, remedy: null } as const
  })
).pipe(
  Effect.catchCause((cause) =>
    Effect.succeed({
      state: "missing" as const,
      found: `SQLite does not start: ${Cause.pretty(cause).split("\n")[0]}`,
      remedy: "npm rebuild better-sqlite3"
    })
  )
)

/** An installation whose database lies in `data`. */
export const make = (data: string): Installation => {
  const filename = join(data, "pawl.db")
  const state = orUnavailable(
    Layer.merge(wholeStores, Notices.layerAlone).pipe(Layer.provide(SqliteClient.layer({ filename })))
  )
  return {
    state,
    // One process does everything.
    routing: state,
    rights: null,
    beside: existsSync(filename)
      ? orUnavailable(SqlStores.layerBeside.pipe(Layer.provide(SqliteClient.layer({ filename }))))
      : unavailable(`there is no ${filename}: name the data folder with --data`),
    restorable: orUnavailable(SqlStores.layer.pipe(Layer.provideMerge(SqliteClient.layer({ filename })))),
    snapshot: SqliteSnapshot.make(filename),
    upgrade: Effect.andThen(
      DataFolder.lock(data),
      Effect.suspend(() => onDatabase(upgrade, SqliteClient.layer({ filename })))
    ).pipe(Effect.scoped),
    outlook: Effect.suspend(() =>
      existsSync(filename) ? onDatabase(outlook, SqliteClient.layer({ filename })) : Effect.succeed(nothingYet)
    ),
    sharesRepositories: false,
    signsWithOthers: false,
    enter: Effect.as(DataFolder.lock(data), { alone: true, settled: Effect.void }),
    // Whoever held a lease in this folder is dead: the folder is this process's own.
    takeBack: Effect.gen(function* () {
      yield* (yield* Commands).releaseAll
      yield* (yield* SharedSlots).giveAllBack
      yield* (yield* Fleet).leaveAll
    }),
    look
  }
}
