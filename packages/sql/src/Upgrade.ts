/** Brings a database to the shape of this version by itself, as `pawl migrate` does before processes of it start. */
import type * as SqlClient from "effect/sql/SqlClient"
import { Effect } from "effect"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Contracted } from "@pawl/core/work/Fleet"
import * as Migrations from "./Migrations.ts"
import * as OlderVersions from "./OlderVersions.ts"
import { ownShape } from "./Shape.ts"

/** How far the shape was and is, what was taken away of it, and what waits for which older processes. */
export interface Upgraded extends Migrations.Migrated, Contracted {
  /** How far this version knows the shape. */
  readonly known: number
}

type Upgrading = Effect.Effect<Upgraded, LedgerUnavailable, SqlClient.SqlClient>

const known = ownShape.expansions.length

/** Adds what is missing, and takes away what no running process needs. */
export const upgrade: Upgrading = Effect.gen(function* () {
  const migrated = yield* Migrations.migrate
  return { known, ...migrated, ...(yield* OlderVersions.contract()) }
})

/** What `upgrade` would find. What waits is told of a database that is in shape alone. Changes nothing. */
export const outlook: Upgrading = Effect.gen(function* () {
  const migrated = yield* Migrations.outlook
  const inShape = migrated.from === migrated.to
  return { known, ...migrated, ...(inShape ? yield* OlderVersions.outlook : { done: [], waiting: [], older: [] }) }
})

/** What there is to say of a database that nobody made yet. */
export const nothingYet: Upgraded = { known, from: 0, to: known, done: [], waiting: [], older: [] }
