/** What is used of a Durable Object's storage, as `ctx.storage` of Workers has it. */
import type { Parameter, Row } from "@pawl/sql/Database"

/** What a statement of `sql.exec` answered. */
export interface Cursor {
  readonly columnNames: ReadonlyArray<string>
  readonly toArray: () => Array<Row>
  readonly raw: () => Iterable<ReadonlyArray<unknown>>
}

/** The storage of an object of a class with SQLite. */
export interface ObjectStorage {
  readonly sql: {
    readonly exec: (sql: string, ...params: ReadonlyArray<Parameter>) => Cursor
  }
  /** Runs work that does not wait as one transaction: all of it stays, or nothing when it throws. Nests. */
  readonly transactionSync: <A>(work: () => A) => A
}
