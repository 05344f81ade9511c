/** All rows of one moment, read while others write. */
import { Effect, Stream } from "effect"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Row } from "../Database.ts"
import type { CopiedTable } from "./CopiedTables.ts"

/** A database as it was at one moment. */
export interface Snapshot {
  /** The rows that a query without parameters answers, some at a time, in their order. */
  readonly pages: (sql: string) => Stream.Stream<ReadonlyArray<Row>, LedgerUnavailable>
  /** When that was by the store's clock, in ms since 1970. */
  readonly atMs: number
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : null
const numberOf = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

/** A row by the names of its columns: texts and numbers, whichever the database answers. */
const copiedRow =
  ({ numbers, texts }: CopiedTable) =>
  (row: Row): Row =>
    Object.fromEntries([
      ...texts.map((name) => [name, textOf(row[name])] as const),
      ...numbers.map((name) => [name, numberOf(row[name])] as const)
    ])

/** The rows of a table as they are copied. */
export const rowsOf = (snapshot: Snapshot, table: CopiedTable): Stream.Stream<Row, LedgerUnavailable> =>
  snapshot
    .pages(
      `SELECT ${[...table.texts, ...table.numbers].join(", ")} FROM ${table.name} ORDER BY ${table.order.join(", ")}`
    )
    .pipe(
      Stream.mapEffect((page) => Effect.succeed(page.map(copiedRow(table)))),
      Stream.flattenIterable
    )
