/**
 * How the stores speak to a database: one statement, or a batch of statements that is applied as a whole or not at
 * all. A batch is data, so that a driver may run it in one go (SQLite, a Durable Object, D1) or, as `layer` does,
 * statement by statement inside a transaction of the Effect SQL client.
 */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Keeping } from "@pawl/core/ledger/Commit"
import type { Signals } from "@pawl/core/ledger/Signals"
import { Context, Effect, Layer } from "effect"

/** What may be bound. Times are milliseconds since 1970; JSON is text. */
export type Parameter = string | number | null
/** Columns by name, as the driver gives them: a whole number may be text. */
export type Row = Readonly<Record<string, unknown>>

/** SQL in the form that SQLite and Postgres share, with `?` for each parameter. */
export interface Query {
  readonly sql: string
  readonly params: ReadonlyArray<Parameter>
}

/** A statement of a batch, with the number of rows that it owes. */
export interface Statement extends Query {
  /** How many rows it must answer, or change when it answers none. Another number undoes the whole batch. */
  readonly rows?: number
  /** Asked in the same transaction when the number is another, after the statements before it, before the batch is undone. */
  readonly otherwise?: Query
}

/** What became of a batch: all of it, or nothing. */
export type Outcome =
  /** The rows that each statement answered. */
  | { readonly _tag: "Applied"; readonly answers: ReadonlyArray<ReadonlyArray<Row>> }
  /** Nothing was changed: the statement at `index` missed its number of rows. `rows` is what `otherwise` answered. */
  | { readonly _tag: "Missed"; readonly index: number; readonly rows: ReadonlyArray<Row> }

/** A client of one database. `batch` is one transaction, `query` a single statement. */
export class Database extends Context.Service<
  Database,
  {
    /** Which SQL it speaks, beyond what both share. */
    readonly dialect: "sqlite" | "pg"
    /** What one value may have at most, where that is less than a page of records may come to. */
    readonly valueBytes?: number
    /** One statement, in a transaction of its own; answers its rows. */
    readonly query: (query: Query) => Effect.Effect<ReadonlyArray<Row>, SqlError>
    /** All statements in one transaction, in their order; all of them, or none. Lasting, unless said otherwise to who can do less. */
    readonly batch: (statements: ReadonlyArray<Statement>, keeping?: Keeping) => Effect.Effect<Outcome, SqlError>
    /** Reaches the other processes on this database; the stores make their own, for this process alone, without it. */
    readonly signals?: Signals
  }
>()("@pawl/sql/Database") {}

/** Being one of a list, which is one parameter, as JSON: the same text for however many, where a statement takes few parameters. */
export const inJsonList: Readonly<Record<Database["Service"]["dialect"], string>> = {
  sqlite: "IN (SELECT value FROM json_each(?))",
  pg: "= ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb)))"
}

/** Numbers the parameters as Postgres wants them. */
export const numbered = (sql: string): string => {
  let n = 0
  return sql.replaceAll("?", () => `$${++n}`)
}

const isRecord = (value: unknown): value is Row => typeof value === "object" && value !== null

/** What a driver's raw result says: its rows, or the number of rows that it changed. */
const answerOf = (raw: unknown): { readonly rows: ReadonlyArray<Row>; readonly count: number } => {
  if (Array.isArray(raw)) return { rows: raw, count: raw.length }
  if (!isRecord(raw)) return { rows: [], count: 0 }
  const rows: ReadonlyArray<Row> = Array.isArray(raw["rows"]) ? raw["rows"] : []
  return { rows, count: Number(raw["rowCount"] ?? raw["changes"] ?? rows.length) }
}

class Missed {
  readonly outcome: Outcome
  constructor(index: number, rows: ReadonlyArray<Row>) {
    this.outcome = { _tag: "Missed", index, rows }
  }
}

const make = Effect.map(SqlClient.SqlClient, (sql): Database["Service"] => {
  const dialect = sql.onDialectOrElse({ pg: (): "sqlite" | "pg" => "pg", orElse: (): "sqlite" | "pg" => "sqlite" })
  const run = (query: Query) =>
    Effect.map(sql.unsafe(dialect === "pg" ? numbered(query.sql) : query.sql, query.params).raw, answerOf)
  const perform = (statements: ReadonlyArray<Statement>) =>
    Effect.forEach(statements, (statement, index) =>
      Effect.flatMap(run(statement), ({ count, rows }) => {
        if (statement.rows === undefined || statement.rows === count) return Effect.succeed(rows)
        if (statement.otherwise === undefined) return Effect.fail(new Missed(index, []))
        return Effect.flatMap(run(statement.otherwise), (answer) => Effect.fail(new Missed(index, answer.rows)))
      })
    )
  return {
    dialect,
    query: (query) => Effect.map(run(query), ({ rows }) => rows),
    batch: (statements) =>
      sql.withTransaction(perform(statements)).pipe(
        Effect.map((answers): Outcome => ({ _tag: "Applied", answers })),
        Effect.catchIf(
          (error) => error instanceof Missed,
          (missed) => Effect.succeed(missed.outcome)
        )
      )
  }
})

/** Over any Effect SQL client. A driver that can run a batch by itself provides its own. */
export const layer: Layer.Layer<Database, never, SqlClient.SqlClient> = Layer.effect(Database, make)

/** What a database said, without the statement and its parameters, which may hold what is nobody's business. */
export const reasonOf = (error: SqlError): string => {
  const { cause } = error.reason
  if (!isRecord(cause)) return error.message
  const code = typeof cause["code"] === "string" ? `${cause["code"]}: ` : ""
  return `${code}${typeof cause["message"] === "string" ? cause["message"] : error.message}`
}
