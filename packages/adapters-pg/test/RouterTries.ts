/** Everything that a user could try with a schema of Postgres, made from its catalogue: what is new is tried by itself. */
import Pg from "pg"

/** A statement that changes nothing where it is allowed, and what it would take to be allowed. */
export interface Try {
  /** As `SELECT pawl_pointer.label`. */
  readonly right: string
  readonly statement: string
}

export const connected = async (url: string, schema: string): Promise<Pg.Client> => {
  const client = new Pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  return client
}

const named = (name: string): string => Pg.escapeIdentifier(name)

const ofColumns = (table: string, columns: ReadonlyArray<string>): ReadonlyArray<Try> =>
  columns.flatMap((column) => [
    { right: `SELECT ${table}.${column}`, statement: `SELECT ${named(column)} FROM ${named(table)} WHERE false` },
    {
      right: `INSERT ${table}.${column}`,
      statement: `INSERT INTO ${named(table)} (${named(column)}) OVERRIDING SYSTEM VALUE SELECT NULL WHERE false`
    },
    {
      right: `UPDATE ${table}.${column}`,
      statement: `UPDATE ${named(table)} SET ${named(column)} = DEFAULT WHERE false`
    }
  ])

const ofTable = (table: string): ReadonlyArray<Try> =>
  [
    ["DELETE", `DELETE FROM ${named(table)} WHERE false`],
    ["TRUNCATE", `TRUNCATE ${named(table)}`],
    ["DROP", `DROP TABLE ${named(table)} CASCADE`],
    ["ALTER", `ALTER TABLE ${named(table)} ADD COLUMN more TEXT`],
    ["NO ROWS APART", `ALTER TABLE ${named(table)} DISABLE ROW LEVEL SECURITY`],
    ["INDEX", `CREATE INDEX ON ${named(table)} ((1))`],
    [
      "TRIGGER",
      `CREATE TRIGGER more BEFORE INSERT ON ${named(table)} EXECUTE FUNCTION suppress_redundant_updates_trigger()`
    ],
    ["POLICY", `CREATE POLICY more ON ${named(table)} USING (true)`],
    ["GRANT", `GRANT ALL ON ${named(table)} TO PUBLIC`],
    ["LOCK", `LOCK TABLE ${named(table)} IN ACCESS EXCLUSIVE MODE`]
  ].map(([what = "", statement = ""]) => ({ right: `${what} ${table}`, statement }))

const beside = (schema: string, owner: string): ReadonlyArray<Try> =>
  [
    ["CREATE TABLE", "CREATE TABLE more (id TEXT)"],
    ["CREATE FUNCTION", "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
    ["CREATE SCHEMA", "CREATE SCHEMA more"],
    ["DROP SCHEMA", `DROP SCHEMA ${named(schema)} CASCADE`],
    ["CREATE ROLE", "CREATE ROLE more"],
    ["BE THE OWNER", `SET ROLE ${named(owner)}`],
    ["SET FOR ROWS", "SET session_replication_role = replica"],
    ["READ FILES", "SELECT pg_read_file('PG_VERSION')"],
    ["RUN PROGRAMS", "COPY (SELECT 1) TO PROGRAM 'true'"]
  ].map(([right = "", statement = ""]) => ({ right, statement }))

/** All that can be tried, as its owner sees it. */
export const triesOf = async (owner: Pg.Client, schema: string): Promise<ReadonlyArray<Try>> => {
  const { rows: tables } = await owner.query<{ name: string; columns: ReadonlyArray<string> }>(
    `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY attnum) AS columns FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid
      WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND attnum > 0 AND NOT attisdropped GROUP BY 1 ORDER BY 1`,
    [schema]
  )
  const { rows: functions } = await owner.query<{ name: string }>(
    "SELECT proname::text AS name FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY 1",
    [schema]
  )
  const { rows: sequences } = await owner.query<{ name: string }>(
    "SELECT relname::text AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'S' ORDER BY 1",
    [schema]
  )
  const { rows: who } = await owner.query<{ name: string }>("SELECT current_user::text AS name")
  return [
    ...tables.flatMap(({ columns, name }) => [...ofColumns(name, columns), ...ofTable(name)]),
    ...functions.flatMap(({ name }) => [
      { right: `CALL ${name}`, statement: `SELECT ${named(name)}()` },
      { right: `DROP ${name}`, statement: `DROP FUNCTION ${named(name)} CASCADE` }
    ]),
    ...sequences.flatMap(({ name }) => [
      { right: `SELECT ${name}`, statement: `SELECT last_value FROM ${named(name)}` },
      { right: `NEXT ${name}`, statement: `SELECT nextval('${named(name)}')` }
    ]),
    ...beside(schema, who[0]?.name ?? "")
  ]
}

/** Refused for want of a right; a function of a trigger is called by nobody. */
const isRefusal = (right: string, code: string): boolean =>
  code === "42501" || (right.startsWith("CALL ") && code === "0A000")

/** Said, and no more, to who has rights and may hand on none. */
const nothingGranted = "01007"

/** What of it is allowed. All is undone. What fails in another way was no good try, and throws. */
export const allowedOf = async (client: Pg.Client, tries: ReadonlyArray<Try>): Promise<ReadonlyArray<string>> => {
  const allowed: Array<string> = []
  let isGranted = true
  const onNotice = ({ code }: { readonly code?: string | undefined }) => {
    if (code === nothingGranted) isGranted = false
  }
  client.on("notice", onNotice)
  for (const { right, statement } of tries) {
    await client.query("BEGIN")
    isGranted = true
    try {
      await client.query(statement)
      if (isGranted) allowed.push(right)
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : ""
      if (!isRefusal(right, code)) throw new Error(`${statement}: ${String(error)}`, { cause: error })
    } finally {
      await client.query("ROLLBACK")
    }
  }
  client.off("notice", onNotice)
  return allowed
}
