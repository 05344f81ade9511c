/** A file of SQLite as it was at one moment, read on a connection of its own while a server writes. */
import { type LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { Row } from "@pawl/sql/Database"
import { unavailable } from "@pawl/sql/Failures"
import type { Snapshot } from "@pawl/sql/copies/Snapshot"
import Sqlite from "better-sqlite3"
import { Effect, type Scope, Stream } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { failed } from "./Batches.ts"

const attempt = <A>(work: () => A): Effect.Effect<A, LedgerUnavailable> =>
  Effect.try({ try: work, catch: failed }).pipe(Effect.catchTag("SqlError", unavailable("read a snapshot")))

/** Some of the rows that come next; fewer at the end. */
const taken = (rows: Iterator<Row>): ReadonlyArray<Row> => {
  const page: Array<Row> = []
  while (page.length < LocalLimits.snapshotRows) {
    const next = rows.next()
    if (next.done === true) return page
    page.push(next.value)
  }
  return page
}

/** Begins with the moment of this call. The scope ends it: until then SQLite keeps all that was written since in its log. */
export const make = (filename: string): Effect.Effect<Snapshot, LedgerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const db = yield* Effect.acquireRelease(
      attempt(() => new Sqlite(filename, { readonly: true, timeout: LocalLimits.sqliteBusyMs })),
      (opened) => Effect.sync(() => opened.close())
    )
    yield* attempt(() => {
      db.prepare("BEGIN").run()
      // A transaction that reads begins with its first look.
      db.prepare("SELECT count(*) FROM sqlite_master").get()
    })
    return {
      atMs: yield* nowMillis,
      pages: (sql) =>
        Stream.unwrap(
          Effect.map(
            attempt(() => db.prepare(sql).iterate()),
            (rows) =>
              Stream.fromEffectRepeat(attempt(() => taken(rows))).pipe(Stream.takeWhile((page) => page.length > 0))
          )
        )
    }
  })
