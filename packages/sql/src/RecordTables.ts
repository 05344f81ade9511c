/** The tables of records as a database holds them: made from `Entities`, with the guards of their lives. */
import type * as SqlClient from "effect/sql/SqlClient"
import { steps } from "@pawl/core/model/Lifecycle"
import { allTables, quoted, type Table } from "./Tables.ts"

/** A column that grows with every insertion; in SQLite this is the row's own number and costs nothing. */
export const counting = (sql: SqlClient.SqlClient): string =>
  sql.onDialectOrElse({ pg: () => "BIGINT GENERATED ALWAYS AS IDENTITY", orElse: () => "INTEGER" })

/** Something that a database holds by this name, and the statements that make it. */
type Part = readonly [name: string, ...statements: ReadonlyArray<string>]

/** The table of a kind of record with its indexes and guards, each by its name. */
export const partsOf = (
  sql: SqlClient.SqlClient,
  { columns, entity, name, statusIndex, unique }: Table
): ReadonlyArray<Part> => [
  [
    name,
    `CREATE TABLE ${name} (
    position ${counting(sql)} PRIMARY KEY,
    project_id TEXT NOT NULL, id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, data TEXT NOT NULL
    ${columns.map((column) => `, ${quoted(column)} ${columnType(sql)}`).join("")})`
  ],
  [`${name}_project`, `CREATE INDEX ${name}_project ON ${name} (project_id, position)`],
  ...(entity.lifecycle === undefined ? [] : lifecycleTriggers(sql, name)),
  ...(statusIndex === null
    ? []
    : [[statusIndex, `CREATE INDEX "${statusIndex}" ON ${name} ("status", project_id, position)`] as const]),
  ...indexes(
    name,
    columns.filter((column) => statusIndex === null || column !== "status"),
    unique
  )
]

/** Looked-up values are texts or numbers. SQLite keeps either as it is; Postgres compares them as text. */
export const columnType = (sql: SqlClient.SqlClient): string =>
  sql.onDialectOrElse({ pg: () => "TEXT", orElse: () => "" })

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
export const transitions: ReadonlyArray<readonly [table: string, from: string, to: string]> = allTables.flatMap(
  ({ entity, name }) =>
    entity.lifecycle === undefined
      ? []
      : [...entity.lifecycle.initial.map((status) => ["", status] as const), ...steps(entity.lifecycle)].map(
          ([from, to]) => [name, from, to] as const
        )
)
