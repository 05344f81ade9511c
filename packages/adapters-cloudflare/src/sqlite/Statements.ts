/**
 * Statements on a Durable Object's SQLite. What Cloudflare refuses is refused here first, in words: a simulator on one's own
 * machine lets more pass than the product does.
 */
import type { Query, Row } from "@pawl/sql/Database"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { ObjectStorage } from "./ObjectStorage.ts"

/** A statement is beyond what a Durable Object takes. */
export class StatementTooLarge extends Error {
  override readonly name = "StatementTooLarge"
}

/** In UTF-8 a UTF-16 unit takes at most 3 bytes. */
const bytesPerUnit = 3

const textBytes = (text: string, limit: number): number =>
  text.length * bytesPerUnit <= limit ? 0 : new TextEncoder().encode(text).length

/** Throws for what the product would refuse: https://developers.cloudflare.com/durable-objects/platform/limits/. */
const checked = ({ params, sql }: Query): void => {
  const [most, statement, row] = [
    CloudflareLimits.sqlParameters,
    CloudflareLimits.sqlStatementBytes,
    CloudflareLimits.sqlRowBytes
  ]
  if (params.length > most)
    throw new StatementTooLarge(`a statement has ${params.length} parameters; a Durable Object takes ${most}`)
  if (textBytes(sql, statement) > statement)
    throw new StatementTooLarge(`a statement is longer than ${statement} bytes`)
  for (const each of params) if (typeof each === "string" && textBytes(each, row) > row) throw valueTooLarge()
}

const valueTooLarge = (): StatementTooLarge =>
  new StatementTooLarge(
    `a value is longer than ${CloudflareLimits.sqlRowBytes} bytes, which no row of a Durable Object holds`
  )

/** A value that is answered has the bound of a row too, though no row holds it: `group_concat` makes such. */
const held = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const most = CloudflareLimits.sqlRowBytes
  for (const row of rows)
    for (const value of Object.values(row))
      if (typeof value === "string" && textBytes(value, most) > most) throw valueTooLarge()
  return rows
}

/** The rows that a statement answers, and how many: those answered, or those changed where it answers none. */
export const perform = (
  { sql }: ObjectStorage,
  query: Query
): { readonly rows: ReadonlyArray<Row>; readonly count: number } => {
  checked(query)
  const cursor = sql.exec(query.sql, ...query.params)
  const rows = held(cursor.toArray())
  if (cursor.columnNames.length > 0) return { rows, count: rows.length }
  // The cursor's own count has the rows of indexes in it.
  return { rows, count: Number(sql.exec("SELECT changes() AS changed").toArray()[0]?.["changed"]) }
}
