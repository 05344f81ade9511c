/**
 * What a user of the database may do, asked of its catalogue: all tables of all schemas, so that nothing is overlooked for
 * being new, and what comes by membership or from PUBLIC counts.
 */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { policyOf, type Privilege, routerRights, type TableRights } from "./RouterRights.ts"

/** What a user has beside or without the rights of a router. */
export interface RoleReport {
  readonly role: string
  /** Why nothing can keep it within them, in words; null for one that rights hold for. */
  readonly unbound: string | null
  /** What a router needs and it has not. */
  readonly missing: ReadonlyArray<string>
  /** What it has and a router needs not. */
  readonly surplus: ReadonlyArray<string>
}

/** A role, as far as rights hold for it. */
export interface Role {
  readonly oid: number
  readonly name: string
  readonly unbound: string | null
}

type Looking<A> = Effect.Effect<A, SqlError, SqlClient.SqlClient>

/** The role of a name, of the one who asks for null; null where there is none. */
export const roleOf = (name: string | null): Looking<Role | null> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      readonly oid: number
      readonly name: string
      readonly may: string | null
      readonly owns: string | null
    }>`SELECT r.oid::int8 AS oid, r.rolname AS name,
        concat_ws(', ', CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' END,
          CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolcreatedb THEN 'CREATEDB' END, CASE WHEN rolreplication THEN 'REPLICATION' END) AS may,
        (SELECT min(c.relname) FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
          AND pg_has_role(r.oid, c.relowner, 'MEMBER')) AS owns
      FROM pg_roles r WHERE r.rolname = coalesce(${name}, current_user::text)`
    if (row === undefined) return null
    const unbound = row.may
      ? `it is ${row.may}`
      : row.owns === null
        ? null
        : `it is, or may become, who owns ${row.owns}`
    return { oid: Number(row.oid), name: row.name, unbound }
  })

interface Held {
  readonly schema: string
  readonly name: string
  readonly privilege: string
  readonly whole: boolean
  /** Names with commas between them; null for none. */
  readonly columns: string | null
}

/** What a role may do with each table; what it may not do is left out. */
const heldBy = (role: number): Looking<ReadonlyArray<Held>> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Held>`SELECT * FROM (
      SELECT CASE WHEN n.nspname = current_schema() THEN '' ELSE n.nspname END AS schema, c.relname AS name, p.privilege,
        has_table_privilege(${role}::oid, c.oid, p.privilege) AS whole,
        CASE WHEN p.privilege IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') THEN (SELECT string_agg(a.attname, ',' ORDER BY a.attnum) FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(${role}::oid, c.oid, a.attnum, p.privilege)) END AS columns
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN (
        SELECT unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
        UNION ALL SELECT 'MAINTAIN' WHERE current_setting('server_version_num')::int >= 170000) p
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    ) each WHERE whole OR columns IS NOT NULL ORDER BY schema, name, privilege`
  )

/** Rights that are of no table, beside the use of Pawl's schema: in words. */
const othersOf = (role: number): Looking<ReadonlyArray<string>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly what: string }>`SELECT what FROM (
        SELECT 'CREATE in the schema ' || nspname AS what FROM pg_namespace WHERE nspname !~ '^pg_' AND has_schema_privilege(${role}::oid, oid, 'CREATE')
        UNION ALL SELECT 'CREATE in the database' WHERE has_database_privilege(${role}::oid, current_database(), 'CREATE')
        UNION ALL SELECT 'the sequence ' || relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname !~ '^pg_'
          AND CASE WHEN relkind = 'S' THEN has_sequence_privilege(${role}::oid, c.oid, 'USAGE, SELECT, UPDATE') ELSE false END
        UNION ALL SELECT 'EXECUTE of ' || proname || ', which acts for its owner' FROM pg_proc f JOIN pg_namespace n ON n.oid = pronamespace
          WHERE prosecdef AND nspname <> 'information_schema' AND nspname !~ '^pg_' AND has_function_privilege(${role}::oid, f.oid, 'EXECUTE')
        UNION ALL SELECT 'what the role ' || roleid::regrole || ' may' FROM pg_auth_members WHERE member = ${role}::oid
        UNION ALL SELECT 'whatever is made later, of ' || CASE d.defaclobjtype WHEN 'r' THEN 'tables' WHEN 'S' THEN 'sequences' ELSE 'other things' END
          FROM pg_default_acl d, aclexplode(d.defaclacl) a WHERE a.grantee = ${role}::oid
      ) each ORDER BY what`,
      (rows) => rows.map(({ what }) => what)
    )
  )

/** The tables of which a role reaches its rows alone. */
const keptApart = (role: number): Looking<ReadonlySet<string>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly name: string }>`SELECT c.relname AS name FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relrowsecurity AND p.polname = ${policyOf(role)}
          AND NOT p.polpermissive AND p.polcmd = '*' AND ${role}::oid = ANY (p.polroles)`,
      (rows) => new Set(rows.map(({ name }) => name))
    )
  )

const said = (privilege: string, columns: ReadonlyArray<string> | "all", table: string): string =>
  `${privilege}${columns === "all" ? "" : ` (${columns.join(", ")})`} of ${table}`

/** What a role lacks of one privilege, and what it has too much. */
const compared = (
  table: string,
  privilege: string,
  wanted: "all" | ReadonlyArray<string> | undefined,
  has: Held | undefined
): Pick<RoleReport, "missing" | "surplus"> => {
  const columns = has?.columns?.split(",") ?? []
  if (wanted === "all") return { missing: has?.whole === true ? [] : [said(privilege, "all", table)], surplus: [] }
  if (wanted === undefined)
    return { missing: [], surplus: has === undefined ? [] : [said(privilege, has.whole ? "all" : columns, table)] }
  const lacks = wanted.filter((column) => !columns.includes(column))
  const more = has?.whole === true ? "all" : columns.filter((column) => !wanted.includes(column))
  return {
    missing: lacks.length === 0 ? [] : [said(privilege, lacks, table)],
    surplus: more.length === 0 ? [] : [said(privilege, more, table)]
  }
}

const wantedOf = (table: TableRights | undefined, privilege: string) => table?.privileges[privilege as Privilege]

const comparedTables = (held: ReadonlyArray<Held>): ReadonlyArray<ReturnType<typeof compared>> => {
  const own = new Map(routerRights.map((table) => [table.name, table]))
  const has = new Map(held.map((each) => [`${each.schema} ${each.name} ${each.privilege}`, each]))
  const extra = held
    .filter(({ name, privilege, schema }) => schema !== "" || wantedOf(own.get(name), privilege) === undefined)
    .map((each) =>
      compared(each.schema === "" ? each.name : `${each.schema}.${each.name}`, each.privilege, undefined, each)
    )
  const needed = routerRights.flatMap((table) =>
    Object.keys(table.privileges).map((privilege) =>
      compared(table.name, privilege, wantedOf(table, privilege), has.get(` ${table.name} ${privilege}`))
    )
  )
  return [...needed, ...extra]
}

const mayUse = (role: number, schema: string): Looking<boolean> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        readonly may: boolean
      }>`SELECT coalesce(bool_or(has_schema_privilege(${role}::oid, oid, 'USAGE')), false) AS may
        FROM pg_namespace WHERE nspname = ${schema}`,
      ([row]) => row?.may === true
    )
  )

/** What a role has, compared with what a router needs of the tables in this schema. */
export const look = (role: Role, schema: string): Looking<RoleReport> =>
  Effect.gen(function* () {
    if (!(yield* mayUse(role.oid, schema)))
      return { role: role.name, unbound: role.unbound, missing: [`USAGE of the schema ${schema}`], surplus: [] }
    const tables = comparedTables(yield* heldBy(role.oid))
    const apart = yield* keptApart(role.oid)
    const others = routerRights.filter(({ name, rows }) => rows !== undefined && !apart.has(name))
    return {
      role: role.name,
      unbound: role.unbound,
      missing: tables.flatMap(({ missing }) => missing),
      surplus: [
        ...tables.flatMap(({ surplus }) => surplus),
        ...others.map(({ name }) => `all rows of ${name}`),
        ...(yield* othersOf(role.oid))
      ]
    }
  })
