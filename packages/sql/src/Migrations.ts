/**
 * Brings a database to the shape that this version needs, in one transaction under a lock, so that two processes may
 * start at once and a crash leaves the old shape. Fixed tables by numbered steps; tables of records, their columns,
 * and their lives from `Entities`.
 */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect, Result } from "effect"
import { nowMillis } from "@pawl/core/primitives/Time"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { steps } from "@pawl/core/model/Lifecycle"
import { read as readCatalog } from "./Catalog.ts"
import { reasonOf } from "./Database.ts"
import { allTables, corrupt, quoted, type Table, table } from "./Tables.ts"

/** A column that grows with every insertion; in SQLite this is the row's own number and costs nothing. */
const counting = (sql: SqlClient.SqlClient): string =>
  sql.onDialectOrElse({ pg: () => "BIGINT GENERATED ALWAYS AS IDENTITY", orElse: () => "INTEGER" })

/** A table that is kept in the order of its key: in SQLite one page less to write than with a row's number beside. */
const keyed = (sql: SqlClient.SqlClient): string =>
  sql.onDialectOrElse({ pg: () => "", orElse: () => " WITHOUT ROWID" })

type Step = (sql: SqlClient.SqlClient) => ReadonlyArray<string>

/**
 * SQLite writes whole pages. Rows of the history are large: in a tree that is kept in the order of its key each one that
 * comes between others moves its neighbours to new pages, at its end none. And the last place that was given in the line
 * of Projects stands in a row of its own, `*`: no index is kept to find it.
 */
const inFewerPages: ReadonlyArray<string> = [
  `ALTER TABLE pawl_history RENAME TO pawl_history_before`,
  `CREATE TABLE pawl_history (
    place INTEGER PRIMARY KEY, project_id TEXT NOT NULL, position BIGINT NOT NULL, change_id TEXT, at BIGINT NOT NULL, data TEXT NOT NULL)`,
  `INSERT INTO pawl_history (project_id, position, change_id, at, data)
    SELECT project_id, position, change_id, at, data FROM pawl_history_before ORDER BY project_id, position`,
  `DROP TABLE pawl_history_before`,
  `CREATE UNIQUE INDEX pawl_history_project ON pawl_history (project_id, position)`,
  `CREATE INDEX pawl_history_change ON pawl_history (change_id, position)`,
  `ALTER TABLE pawl_turn RENAME TO pawl_turn_before`,
  `CREATE TABLE pawl_turn (project_id TEXT PRIMARY KEY, served BIGINT NOT NULL) WITHOUT ROWID`,
  `INSERT INTO pawl_turn (project_id, served) SELECT project_id, served FROM pawl_turn_before
    UNION ALL SELECT '*', coalesce(max(served), 0) FROM pawl_turn_before`,
  `DROP TABLE pawl_turn_before`
]

/** Of a repository's row: it has too many packs beside its base. The numbers stay those of the index that is made of it. */
export const crowded = "hot_packs > 64 OR hot_bytes > 1048576"

/** The steps in order; their places are their versions. A step that was ever published is never changed. */
const migrations: ReadonlyArray<Step> = [
  (sql) => [
    `CREATE TABLE pawl_sequence (project_id TEXT PRIMARY KEY, last BIGINT NOT NULL, oldest BIGINT NOT NULL)`,
    `CREATE TABLE pawl_event (
      project_id TEXT NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (project_id, sequence))${keyed(sql)}`,
    `CREATE TABLE pawl_command (
      place ${counting(sql)} PRIMARY KEY, id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL, attempts INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL, due_at BIGINT NOT NULL, created_at BIGINT NOT NULL, ready_at BIGINT NOT NULL, token TEXT, last_problem TEXT,
      again TEXT, again_at BIGINT)`,
    `CREATE INDEX pawl_command_turn ON pawl_command (project_id, ready_at, place)`,
    `CREATE TABLE pawl_turn (project_id TEXT PRIMARY KEY, served BIGINT NOT NULL)`,
    `CREATE INDEX pawl_turn_served ON pawl_turn (served)`,
    `CREATE TABLE pawl_dead_letter (
      place ${counting(sql)} PRIMARY KEY, id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL, attempts INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL, due_at BIGINT NOT NULL, created_at BIGINT NOT NULL, last_problem TEXT, died_at BIGINT NOT NULL)`,
    `CREATE INDEX pawl_dead_letter_project ON pawl_dead_letter (project_id, place)`,
    `CREATE TABLE pawl_journal (process TEXT NOT NULL, step TEXT NOT NULL, place INTEGER NOT NULL, result TEXT NOT NULL, PRIMARY KEY (process, step))${keyed(sql)}`,
    `CREATE TABLE pawl_history (
      project_id TEXT NOT NULL, position BIGINT NOT NULL, change_id TEXT, at BIGINT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (project_id, position))${keyed(sql)}`,
    `CREATE INDEX pawl_history_change ON pawl_history (change_id, position)`,
    `CREATE TABLE pawl_commit_key (project_id TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, at BIGINT NOT NULL,
      PRIMARY KEY (project_id, key))${keyed(sql)}`,
    `CREATE INDEX pawl_commit_key_at ON pawl_commit_key (at)`,
    `CREATE TABLE pawl_daily_counter (day TEXT NOT NULL, name TEXT NOT NULL, used BIGINT NOT NULL, PRIMARY KEY (day, name))`,
    `CREATE TABLE pawl_transition (kind TEXT NOT NULL, from_status TEXT NOT NULL, to_status TEXT NOT NULL, PRIMARY KEY (kind, from_status, to_status))`
  ],
  // Keys are listed by code point: the order of UTF-8 bytes, which is SQLite's own and Postgres's collation "C".
  (sql) => [
    `CREATE TABLE pawl_app_store (project_id TEXT NOT NULL, channel TEXT NOT NULL, keys INTEGER NOT NULL, PRIMARY KEY (project_id, channel))`,
    `CREATE TABLE pawl_app_data (
      project_id TEXT NOT NULL, channel TEXT NOT NULL, key TEXT ${sql.onDialectOrElse({ pg: () => `COLLATE "C"`, orElse: () => "COLLATE BINARY" })} NOT NULL,
      value TEXT NOT NULL, PRIMARY KEY (project_id, channel, key))`
  ],
  (sql) => [
    `CREATE TABLE pawl_app_log_end (project_id TEXT PRIMARY KEY, last BIGINT NOT NULL)`,
    `CREATE TABLE pawl_app_log (
      project_id TEXT NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, channel TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (project_id, sequence))${keyed(sql)}`
  ],
  // Dead letters expire: the old ones are looked for each day.
  () => [`CREATE INDEX pawl_dead_letter_died ON pawl_dead_letter (died_at, place)`],
  // How often a command's holder was gone, and how it waits for machinery that is away.
  () => [
    `ALTER TABLE pawl_command ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE pawl_command ADD COLUMN waits INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE pawl_command ADD COLUMN waiting_since BIGINT`,
    `ALTER TABLE pawl_command ADD COLUMN waited_until BIGINT`
  ],
  // Slots that processes share: places of a scope, each held until a time.
  (sql) => [
    `CREATE TABLE pawl_slot (scope TEXT NOT NULL, place INTEGER NOT NULL, holder TEXT NOT NULL, until_at BIGINT NOT NULL, PRIMARY KEY (scope, place))${keyed(sql)}`
  ],
  // No commit has a key any more.
  () => ["DROP TABLE pawl_commit_key"],
  (sql) => sql.onDialectOrElse({ pg: () => [], orElse: () => inFewerPages }),
  // Rows of Policies say all that they say: `sayAll` below writes them anew, once their tables are there.
  () => [],
  // Repositories as rows. A pack's place comes from its repository's row: it is in the order of commits.
  (sql) => [
    `CREATE TABLE pawl_repo (
      project_id TEXT NOT NULL, fork TEXT NOT NULL, born TEXT NOT NULL, main TEXT, through BIGINT NOT NULL, hot_packs BIGINT NOT NULL,
      hot_bytes BIGINT NOT NULL, PRIMARY KEY (project_id, fork))${keyed(sql)}`,
    `CREATE INDEX pawl_repo_crowded ON pawl_repo (project_id, fork) WHERE ${crowded}`,
    `CREATE TABLE pawl_pack (
      project_id TEXT NOT NULL, fork TEXT NOT NULL, through BIGINT NOT NULL, base INTEGER NOT NULL, digest TEXT NOT NULL, bytes BIGINT NOT NULL,
      objects BIGINT NOT NULL, object TEXT, body TEXT, PRIMARY KEY (project_id, fork, through))`,
    `CREATE INDEX pawl_pack_object ON pawl_pack (project_id, object) WHERE object IS NOT NULL`,
    `CREATE TABLE pawl_trash (project_id TEXT NOT NULL, object TEXT NOT NULL, due BIGINT NOT NULL, PRIMARY KEY (project_id, object))${keyed(sql)}`,
    `CREATE INDEX pawl_trash_due ON pawl_trash (due)`
  ],
  // The server processes that run on this database.
  (sql) => [
    `CREATE TABLE pawl_process (id TEXT PRIMARY KEY, version TEXT NOT NULL, roles TEXT NOT NULL, started_at BIGINT NOT NULL, seen_at BIGINT NOT NULL)${keyed(sql)}`
  ]
]

/** The step after which no row of a Policy is read with a default any more: statements hold digests of such rows. */
const explicitAt = 9

/** Writes the rows of a table anew that their own JSON does not tell whole. */
const sayAll = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { decode, encode, name }: Table) {
  const rows = yield* sql.unsafe<{ position: number; id: string; data: string }>(
    `SELECT position, id, data FROM ${name}`
  )
  for (const { data, id, position } of rows) {
    const record = decode(data)
    if (Result.isFailure(record)) return yield* corrupt(name, id)
    const whole = encode(record.success)
    if (whole !== data) yield* sql`UPDATE ${sql(name)} SET data = ${whole} WHERE position = ${position}`
  }
})

/** Something that a database holds by this name, and the statements that make it. */
type Part = readonly [name: string, ...statements: ReadonlyArray<string>]

const partsOf = (sql: SqlClient.SqlClient, { columns, entity, name, unique }: Table): ReadonlyArray<Part> => [
  [
    name,
    `CREATE TABLE ${name} (
    position ${counting(sql)} PRIMARY KEY,
    project_id TEXT NOT NULL, id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, data TEXT NOT NULL
    ${columns.map((column) => `, ${quoted(column)} ${columnType(sql)}`).join("")})`
  ],
  [`${name}_project`, `CREATE INDEX ${name}_project ON ${name} (project_id, position)`],
  ...(entity.lifecycle === undefined ? [] : lifecycleTriggers(sql, name)),
  ...indexes(name, columns, unique)
]

/** Looked-up values are texts or numbers. SQLite keeps either as it is; Postgres compares them as text. */
const columnType = (sql: SqlClient.SqlClient): string => sql.onDialectOrElse({ pg: () => "TEXT", orElse: () => "" })

const indexes = (name: string, columns: ReadonlyArray<string>, unique: ReadonlyArray<string>): ReadonlyArray<Part> =>
  columns.map((column): Part =>
    unique.includes(column)
      ? [`${name}_${column}`, `CREATE UNIQUE INDEX "${name}_${column}" ON ${name} (${quoted(column)})`]
      : [`${name}_${column}`, `CREATE INDEX "${name}_${column}" ON ${name} (${quoted(column)}, position)`]
  )

/** The name by which a refused status step is known among the errors of a database. */
export const lifecycleMark = "pawl_lifecycle"

/** The database refuses a status that the lifecycle does not lead to, whoever writes it. */
const lifecycleTriggers = (sql: SqlClient.SqlClient, name: string): ReadonlyArray<Part> => {
  const missing = (from: string) =>
    `NOT EXISTS (SELECT 1 FROM pawl_transition WHERE kind = '${name}' AND from_status = ${from} AND to_status = NEW."status")`
  return sql.onDialectOrElse({
    pg: (): ReadonlyArray<Part> => [
      [
        `${name}_life`,
        `CREATE OR REPLACE FUNCTION ${name}_life() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'INSERT' THEN IF ${missing("''")} THEN RAISE EXCEPTION '${lifecycleMark} ${name}'; END IF;
        ELSIF NEW."status" <> OLD."status" AND ${missing(`OLD."status"`)} THEN RAISE EXCEPTION '${lifecycleMark} ${name}'; END IF;
        RETURN NEW; END $$`,
        `CREATE TRIGGER ${name}_life BEFORE INSERT OR UPDATE OF "status" ON ${name} FOR EACH ROW EXECUTE FUNCTION ${name}_life()`
      ]
    ],
    orElse: (): ReadonlyArray<Part> => [
      [
        `${name}_begin`,
        `CREATE TRIGGER ${name}_begin BEFORE INSERT ON ${name} WHEN ${missing("''")}
        BEGIN SELECT RAISE(ABORT, '${lifecycleMark} ${name}'); END`
      ],
      [
        `${name}_move`,
        `CREATE TRIGGER ${name}_move BEFORE UPDATE OF "status" ON ${name} WHEN NEW."status" <> OLD."status" AND ${missing(`OLD."status"`)}
        BEGIN SELECT RAISE(ABORT, '${lifecycleMark} ${name}'); END`
      ]
    ]
  })
}

/** Every allowed step of every life; beginnings lead from the empty status. */
const transitions: ReadonlyArray<readonly [table: string, from: string, to: string]> = allTables.flatMap(
  ({ entity, name }) =>
    entity.lifecycle === undefined
      ? []
      : [...entity.lifecycle.initial.map((status) => ["", status] as const), ...steps(entity.lifecycle)].map(
          ([from, to]) => [name, from, to] as const
        )
)

/** Adds the columns that this version looks records up by, and fills them from the records. */
const addColumns = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { columns, decode, entity, name }: Table,
  present: ReadonlySet<string> | undefined
) {
  const added = columns.filter((column) => present?.has(column) === false)
  if (added.length === 0) return
  for (const column of added) yield* sql.unsafe(`ALTER TABLE ${name} ADD COLUMN ${quoted(column)} ${columnType(sql)}`)
  let position = 0
  while (true) {
    const rows = yield* sql.unsafe<{ position: number; id: string; data: string }>(
      `SELECT position, id, data FROM ${name} WHERE position > ${position} ORDER BY position LIMIT 500`
    )
    for (const row of rows) {
      const record = decode(row.data)
      if (Result.isFailure(record)) return yield* corrupt(name, row.id)
      for (const column of added)
        yield* sql`UPDATE ${sql(name)} SET ${sql(column)} = ${entity.columns[column]!(record.success)} WHERE position = ${row.position}`
      position = Number(row.position)
    }
    if (rows.length === 0) return
  }
})

const setLives = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const there = yield* sql<{ kind: string; from_status: string; to_status: string }>`SELECT * FROM pawl_transition`
  const known = new Set(there.map((row) => [row.kind, row.from_status, row.to_status].join("/")))
  if (known.size === transitions.length && transitions.every((each) => known.has(each.join("/")))) return
  yield* sql`DELETE FROM pawl_transition`
  for (const [kind, from, to] of transitions)
    yield* sql`INSERT INTO pawl_transition (kind, from_status, to_status) VALUES (${kind}, ${from}, ${to})`
})

const runAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Postgres has no lock around a transaction's start, as SQLite's BEGIN IMMEDIATE is: one number stands for Pawl.
  yield* sql.onDialectOrElse({
    // Migrations take as long as they take, and those of other processes too.
    pg: () =>
      Effect.asVoid(
        Effect.forEach(
          ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0", "SELECT pg_advisory_xact_lock(7029573)"],
          (statement) => sql.unsafe(statement)
        )
      ),
    orElse: () => Effect.void
  })
  yield* sql`CREATE TABLE IF NOT EXISTS pawl_migration (version INTEGER PRIMARY KEY, at BIGINT NOT NULL)`
  const [row] = yield* sql<{ version: number }>`SELECT coalesce(max(version), 0) AS version FROM pawl_migration`
  const version = Number(row?.version ?? 0)
  if (version > migrations.length)
    return yield* new LedgerUnavailable({
      operation: "migrate",
      reason: `the database has version ${version}; this program knows versions up to ${migrations.length}: run the newer program`
    })
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue
    for (const statement of step(sql)) yield* sql.unsafe(statement)
    yield* sql`INSERT INTO pawl_migration (version, at) VALUES (${index + 1}, ${yield* nowMillis})`
  }
  const { columns, names } = yield* readCatalog
  for (const table of allTables) {
    yield* addColumns(sql, table, columns.get(table.name))
    for (const [name, ...statements] of partsOf(sql, table))
      if (!names.has(name)) for (const statement of statements) yield* sql.unsafe(statement)
  }
  if (version < explicitAt) for (const kind of ["policy", "policyVersion"] as const) yield* sayAll(sql, table(kind))
  yield* setLives(sql)
})

/**
 * Brings the database to the shape of this version. Safe to run at every start, and by several processes at once. Fails
 * when a newer version has been at work on it.
 */
export const migrate: Effect.Effect<void, LedgerUnavailable, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql.withTransaction(runAll).pipe(
      Effect.catchTag("SqlError", (error: SqlError) =>
        Effect.fail(new LedgerUnavailable({ operation: "migrate", reason: reasonOf(error) }))
      ),
      Effect.withSpan("Migrations.migrate")
    )
)

const otherShape = new LedgerUnavailable({
  operation: "open",
  reason: "the database has not the shape that this version needs: start the server of this version on it first"
})

/** Fails unless the database has the shape that `migrate` would give it. Changes nothing, for a server may run on it. */
export const demandShape: Effect.Effect<void, LedgerUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const { columns } = yield* readCatalog
  if (!columns.has("pawl_migration")) return yield* otherShape
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: number }>`SELECT coalesce(max(version), 0) AS version FROM pawl_migration`
  const lacks = allTables.some((table) => table.columns.some((column) => columns.get(table.name)?.has(column) !== true))
  if (lacks || Number(row?.version ?? 0) !== migrations.length) return yield* otherShape
}).pipe(
  Effect.catchTag("SqlError", (error: SqlError) =>
    Effect.fail(new LedgerUnavailable({ operation: "open", reason: reasonOf(error) }))
  )
)
