/** The stores' `Database` over a Durable Object's own SQLite. A batch is one synchronous transaction: nothing comes between. */
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import type { Database, Outcome, Statement } from "@pawl/sql/Database"
import type { Signals } from "@pawl/core/ledger/Signals"
import { Effect } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { ObjectStorage } from "./ObjectStorage.ts"
import { perform } from "./Statements.ts"

/** A failed statement, as the Effect SQL client tells it. */
export const failed = (cause: unknown): SqlError =>
  new SqlError({ reason: classifySqliteError(cause, { message: "The statement failed", operation: "execute" }) })

/** Thrown out of a transaction, which it undoes. */
class Undo {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

const applied = (storage: ObjectStorage, statements: ReadonlyArray<Statement>): Outcome => ({
  _tag: "Applied",
  answers: statements.map((statement, index) => {
    const { count, rows } = perform(storage, statement)
    if (statement.rows === undefined || statement.rows === count) return rows
    const said = statement.otherwise === undefined ? [] : perform(storage, statement.otherwise).rows
    throw new Undo({ _tag: "Missed", index, rows: said })
  })
})

const batch = (storage: ObjectStorage, statements: ReadonlyArray<Statement>): Outcome => {
  try {
    return storage.transactionSync(() => applied(storage, statements))
  } catch (cause) {
    if (cause instanceof Undo) return cause.outcome
    throw cause
  }
}

/**
 * Over the storage of one object. What it answers is durable before an answer leaves the object (the output gate). Its
 * stores notify `signals`.
 */
export const make = (storage: ObjectStorage, signals?: Signals): Database["Service"] => ({
  ...(signals === undefined ? {} : { signals }),
  dialect: "sqlite",
  valueBytes: CloudflareLimits.sqlRowBytes,
  query: (query) => Effect.try({ try: () => perform(storage, query).rows, catch: failed }),
  batch: (statements) => Effect.try({ try: () => batch(storage, statements), catch: failed })
})
