/**
 * What the shape of a database has gained, step by step: tables, columns and indexes that a version needs. A program of
 * the release before goes on beside each of them: a new column has a default, and nothing that was there goes away or
 * changes its meaning. What only older versions need goes with a contraction, a release later. Steps up to 11 are older
 * than that rule, and some of them take away: programs of their time did not run beside each other.
 */
import type * as SqlClient from "effect/sql/SqlClient"
import { counting } from "./RecordTables.ts"

/** A table that is kept in the order of its key: in SQLite one page less to write than with a row's number beside. */
const keyed = (sql: SqlClient.SqlClient): string =>
  sql.onDialectOrElse({ pg: () => "", orElse: () => " WITHOUT ROWID" })

/** The statements of a step, in the words of the database that they are for. */
export type Step = (sql: SqlClient.SqlClient) => ReadonlyArray<string>

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

/** The steps in order; their places are their numbers. A step that was ever published is never changed. */
export const expansions: ReadonlyArray<Step> = [
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
  ],
  // What was taken away, what is taken away once no older version runs, and how far each process knows the shape.
  (sql) => [
    `CREATE TABLE pawl_contraction (number INTEGER PRIMARY KEY, at BIGINT NOT NULL)`,
    `CREATE TABLE pawl_owed (name TEXT PRIMARY KEY)${keyed(sql)}`,
    `ALTER TABLE pawl_process ADD COLUMN shape INTEGER NOT NULL DEFAULT 0`
  ],
  // Sessions, codes that open once, devices and identities: kinds of records, whose tables come by themselves.
  () => [],
  // Whose a process is among the users of the database: one that may only route sees no other user's.
  (sql) => [
    `ALTER TABLE pawl_process ADD COLUMN owner TEXT NOT NULL DEFAULT ${sql.onDialectOrElse({ pg: () => "current_user", orElse: () => "''" })}`
  ],
  // A run that is worked outside is found by its token, and a Task of one may be ready again: the tables are made from records.
  () => [],
  // Records of a Project are found by their status: an index of tables that are made from records. What a database has of
  // before, an index of statuses alone, is not read any more. Programs of the release before still make it where it lacks.
  () => []
]
