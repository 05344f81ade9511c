/** The steps of all lives as a database has them: its guards let no status go another way. */
import * as SqlClient from "effect/sql/SqlClient"
import { Effect } from "effect"
import { transitions } from "./RecordTables.ts"

const known = new Set(transitions.map((each) => each.join("/")))

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ kind: string; from_status: string; to_status: string }>`SELECT * FROM pawl_transition`
  return rows.map((row) => [row.kind, row.from_status, row.to_status] as const)
})

/** Adds the steps that this version knows and the database does not. */
export const add = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const there = new Set((yield* stored).map((each) => each.join("/")))
  for (const each of transitions) {
    const [kind, from, to] = each
    if (!there.has(each.join("/")))
      yield* sql`INSERT INTO pawl_transition (kind, from_status, to_status) VALUES (${kind}, ${from}, ${to})`
  }
})

/** The steps that a database has and this version does not know: those of an older one, where no newer one is at work. */
export const surplus = Effect.map(stored, (all) => all.filter((each) => !known.has(each.join("/"))))

/** Takes steps away. */
export const remove = Effect.fnUntraced(function* (
  steps: ReadonlyArray<readonly [kind: string, from: string, to: string]>
) {
  const sql = yield* SqlClient.SqlClient
  for (const [kind, from, to] of steps)
    yield* sql`DELETE FROM pawl_transition WHERE kind = ${kind} AND from_status = ${from} AND to_status = ${to}`
})

/** Lets every life begin with any status that it has, until that is taken away as `surplus`. */
export const allowAny = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const beginnings = new Set(transitions.map(([kind, , to]) => `${kind}/${to}`))
  for (const each of beginnings) {
    const [kind = "", to = ""] = each.split("/")
    if (!known.has(`${kind}//${to}`))
      yield* sql`INSERT INTO pawl_transition (kind, from_status, to_status) VALUES (${kind}, ${""}, ${to})`
  }
})
