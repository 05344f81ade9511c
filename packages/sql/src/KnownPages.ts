/**
 * Pages of records, read from SQLite as one text each, where a value may be so long: that costs a third of as many rows. A page whose text was read
 * before is the same page, so nothing here can be out of date; of another one only the rows that changed are decoded.
 */
import { Result } from "effect"
import type { Stored } from "@pawl/core/ledger/Commit"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Page } from "@pawl/core/ledger/Records"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import type { Query, Row } from "./Database.ts"
import * as KnownTexts from "./KnownTexts.ts"
import { storedOf } from "./Tables.ts"

/** The rows of a query, each as its position, its revision and its JSON, in which no line ends. */
export const pageQuery = ({ params, sql }: Query): Query => ({
  sql: `SELECT group_concat(position || ' ' || revision || ' ' || data, char(10)) AS page FROM (${sql})`,
  params
})

const known = KnownTexts.make<{ readonly kind: Kind; readonly limit: number; readonly page: Page<unknown> }>()

const line = /^(\d+) (\d+) (\{.*\})$/

/** The rows of a page's text; null when one of them is not what the store writes. */
const rowsOf = (text: string): ReadonlyArray<Row> | null => {
  const rows: Array<Row> = []
  for (const each of text === "" ? [] : text.split("\n")) {
    const [, position, revision, data] = line.exec(each) ?? []
    if (data === undefined) return null
    rows.push({ position, revision, data })
  }
  return rows
}

/** What rows are as a page: one more than `limit` says that there is a page behind it. */
export const pageOf = <K extends Kind>(
  kind: K,
  rows: ReadonlyArray<Row>,
  limit: number | null
): Result.Result<Page<RecordOf<K>>, LedgerUnavailable> => {
  const shown = limit === null ? rows : rows.slice(0, limit)
  const cursors = shown.map((row) => String(row["position"]))
  const nextCursor = rows.length > shown.length ? (cursors.at(-1) ?? null) : null
  const items: Array<Stored<RecordOf<K>>> = []
  for (const row of shown) {
    const stored = storedOf(kind, row)
    if (Result.isFailure(stored)) return Result.fail(stored.failure)
    items.push(stored.success)
  }
  return Result.succeed({ items, cursors, nextCursor })
}

/** The page of a text; null when its rows are to be read one by one, which tells what is wrong with them. */
export const read = <K extends Kind>(kind: K, text: unknown, limit: number): Page<RecordOf<K>> | null => {
  const words = typeof text === "string" ? text : ""
  const before = known.get(words)
  if (before?.kind === kind && before.limit === limit) return before.page as Page<RecordOf<K>>
  const rows = rowsOf(words)
  const page = rows === null ? null : Result.getOrNull(pageOf(kind, rows, limit))
  if (page !== null) known.keep(words, { kind, limit, page: KnownTexts.frozen(page) })
  return page
}
