/** Gives a user of the database the rights of a router, and takes all others away: once, however often it is asked. */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { takeTurn } from "@pawl/sql/Shape"
import { Effect, Schema } from "effect"
import { look, type Role, roleOf, type RoleReport } from "./RightsLook.ts"
import { everybodysPolicy, policyOf, routerRights, type TableRights } from "./RouterRights.ts"
import { roleProblem } from "./RoleName.ts"

/** Rights cannot be given to this user. */
export class RoleRefused extends Schema.TaggedError<RoleRefused>()("RoleRefused", {
  role: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `No rights were changed: ${this.reason}`
  }
}

const demandRole = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<Role, RoleRefused | SqlError, SqlClient.SqlClient> {
  const problem = roleProblem(name)
  if (problem !== null) return yield* new RoleRefused({ role: name, reason: `the name of the user: ${problem}` })
  const role = yield* roleOf(name)
  const refuse = (reason: string) => new RoleRefused({ role: name, reason })
  if (role === null)
    return yield* refuse(`there is no user ${name} in Postgres: CREATE ROLE "${name}" LOGIN PASSWORD '…' makes it`)
  if (role.unbound !== null)
    return yield* refuse(`the user ${name} cannot be kept within rights: ${role.unbound}. Take another for routers`)
  return role
})

/** The name as it was judged. The client would take a dot in it for one between a schema and a table. */
const quoted = (sql: SqlClient.SqlClient, { name }: Role) => sql.literal(`"${name}"`)

/** Rows that the role reaches of a table. Everybody else reaches all, as before: owners are not asked. */
const keepApart = Effect.fnUntraced(function* (role: Role, { name, rows }: TableRights) {
  if (rows === undefined) return
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ readonly on: boolean; readonly policies: string | null }>`SELECT c.relrowsecurity AS on,
      (SELECT string_agg(polname, ',') FROM pg_policy WHERE polrelid = c.oid) AS policies
    FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ${name}`
  const there = new Set(table?.policies?.split(","))
  // What is there is not made again: it would wait for all who use the table.
  if (!there.has(everybodysPolicy))
    yield* sql.unsafe(`CREATE POLICY ${everybodysPolicy} ON ${name} USING (true) WITH CHECK (true)`)
  if (!there.has(policyOf(role.oid)))
    yield* sql`CREATE POLICY ${sql(policyOf(role.oid))} ON ${sql(name)} AS RESTRICTIVE TO ${quoted(sql, role)} USING (${sql.literal(rows)}) WITH CHECK (${sql.literal(rows)})`
  if (table?.on !== true) yield* sql.unsafe(`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`)
})

const granting = Effect.fnUntraced(function* (role: Role, schema: string) {
  const sql = yield* SqlClient.SqlClient
  const [to, within] = [quoted(sql, role), sql(schema)]
  yield* sql`REVOKE ALL ON ALL TABLES IN SCHEMA ${within} FROM ${to}`
  yield* sql`REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${within} FROM ${to}`
  yield* sql`REVOKE ALL ON ALL ROUTINES IN SCHEMA ${within} FROM ${to}`
  yield* sql`REVOKE ALL ON SCHEMA ${within} FROM ${to}`
  yield* sql`ALTER DEFAULT PRIVILEGES IN SCHEMA ${within} REVOKE ALL ON TABLES FROM ${to}`
  yield* sql`ALTER DEFAULT PRIVILEGES IN SCHEMA ${within} REVOKE ALL ON SEQUENCES FROM ${to}`
  yield* sql`GRANT USAGE ON SCHEMA ${within} TO ${to}`
  for (const table of routerRights) {
    yield* keepApart(role, table)
    for (const [privilege, columns] of Object.entries(table.privileges)) {
      const named = columns === "all" ? "" : ` (${columns.join(", ")})`
      yield* sql`GRANT ${sql.literal(`${privilege}${named}`)} ON ${sql(table.name)} TO ${to}`
    }
  }
})

/** What a user may do, and would not by rights of a router alone. Changes nothing. */
export const rightsOf = (
  name: string,
  schema: string
): Effect.Effect<RoleReport, RoleRefused | SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(demandRole(name), (role) => look(role, schema))

/**
 * Gives the rights to a user that is there, over tables that have the shape of this version and belong to whoever asks.
 * Answers what the user has afterwards: what comes from PUBLIC or by a membership is not taken away.
 */
export const grantRouter = (
  name: string,
  schema: string
): Effect.Effect<RoleReport, RoleRefused | SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const role = yield* demandRole(name)
    yield* sql.withTransaction(Effect.andThen(takeTurn, granting(role, schema)))
    return yield* look(role, schema)
  })
