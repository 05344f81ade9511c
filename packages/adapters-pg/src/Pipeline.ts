/**
 * Several statements on one connection in one round trip: all are sent at once, and the answers read in order.
 * `pg` sends one statement, waits, and sends the next; and it names a statement only when it is told to. Here each
 * text is prepared once per connection, so that the server parses it once.
 */
import type { Connection, FieldDef, PoolClient, Submittable } from "pg"
import type { Parameter, Row } from "@pawl/sql/Database"
import { PgLimits } from "./PgLimits.ts"
import { parserOf } from "./PgPool.ts"
import { Wire } from "./Wire.ts"

/** One statement. */
export interface Ask {
  /** With `$1`, `$2`, … for each parameter. */
  readonly text: string
  readonly params: ReadonlyArray<Parameter>
}

/** What one statement gave. */
export interface Answer {
  readonly rows: ReadonlyArray<Row>
  /** How many rows were answered or changed. */
  readonly count: number
  /** Whether it changed any. */
  readonly changed: boolean
}

/** Something went wrong: what, and what was answered before it. */
export class PipelineFailed {
  readonly cause: unknown
  readonly answers: ReadonlyArray<Answer>
  constructor(cause: unknown, answers: ReadonlyArray<Answer>) {
    this.cause = cause
    this.answers = answers
  }
}

interface Reader {
  readonly name: string
  readonly parse: (value: string) => unknown
}

interface Prepared {
  readonly name: string
  readers: ReadonlyArray<Reader>
}

/** What is prepared on one connection. */
class Session {
  readonly prepared = new Map<string, Prepared>()
  /** Names that the server may still know and nobody uses. */
  readonly stale: Array<string> = []
  #count = 0

  /** The statement of a text, and whether the server must be told of it first. */
  use(text: string): { readonly statement: Prepared; readonly isNew: boolean } {
    const known = this.prepared.get(text)
    const statement = known ?? { name: `pawl_${++this.#count}`, readers: [] }
    // A Map goes by insertion: put again, it is the newest.
    this.prepared.delete(text)
    this.prepared.set(text, statement)
    return { statement, isNew: known === undefined }
  }

  forget(text: string): void {
    const known = this.prepared.get(text)
    if (known === undefined) return
    this.prepared.delete(text)
    this.stale.push(known.name)
  }

  evict(): void {
    for (const text of this.prepared.keys()) {
      if (this.prepared.size <= PgLimits.statementsPrepared) return
      this.forget(text)
    }
  }
}

const sessions = new WeakMap<PoolClient, Session>()
const sessionOf = (client: PoolClient): Session => {
  const known = sessions.get(client) ?? new Session()
  sessions.set(client, known)
  return known
}

/**
 * Postgres keeps no NUL in a text. U+0000 is kept as two U+0001, and U+0001 as U+0001 U+0002: other texts stay as they
 * are, what is equal stays equal, and the order by code point stays.
 */
const toKept = (text: string): string =>
  text.includes("\0") || text.includes("\u0001")
    ? text.replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0001")
    : text
const fromKept = (text: string): string =>
  text.includes("\u0001") ? text.replaceAll("\u0001\u0001", "\0").replaceAll("\u0001\u0002", "\u0001") : text

const countOf = (tag: string): number => Number(/(\d+)$/.exec(tag)?.[1] ?? 0)

/** Speaks to `pg`'s client as its own queries do. */
class Pipeline implements Submittable {
  readonly #session: Session
  readonly #asks: ReadonlyArray<Ask>
  readonly #done: (failed: PipelineFailed | null, answers: ReadonlyArray<Answer>) => void
  readonly #statements: Array<Prepared> = []
  /** Texts that this pipeline prepares, and at which place. */
  readonly #fresh = new Map<string, number>()
  readonly #answers: Array<Answer> = []
  #rows: Array<Row> = []

  constructor(
    session: Session,
    asks: ReadonlyArray<Ask>,
    done: (failed: PipelineFailed | null, answers: ReadonlyArray<Answer>) => void
  ) {
    this.#session = session
    this.#asks = asks
    this.#done = done
  }

  submit(connection: Connection): void {
    const wire = new Wire()
    this.#session.evict()
    for (const name of this.#session.stale.splice(0)) wire.close(name)
    for (const [place, { params, text }] of this.#asks.entries()) {
      const { isNew, statement } = this.#session.use(text)
      this.#statements.push(statement)
      if (isNew) {
        this.#fresh.set(text, place)
        wire.parse(statement.name, text)
        wire.describe(statement.name)
      }
      wire.bind(
        statement.name,
        params.map((each) => (each === null ? null : toKept(String(each))))
      )
      wire.execute()
    }
    wire.sync()
    // A socket that broke says so by itself, to the client, and the client to this.
    if (connection.stream.writable) connection.stream.write(wire.bytes())
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<FieldDef> }): void {
    this.#statements[this.#answers.length]!.readers = fields.map(({ dataTypeID, name }) => ({
      name,
      parse: parserOf(dataTypeID)
    }))
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    const row: Record<string, unknown> = {}
    for (const [index, { name, parse }] of this.#statements[this.#answers.length]!.readers.entries()) {
      const value = fields[index] ?? null
      row[name] = value === null ? null : parse(fromKept(value))
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#answers.push({
      rows: this.#rows,
      count: countOf(text),
      changed: countOf(text) > 0 && !text.startsWith("SELECT")
    })
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: "" })
  }

  handleReadyForQuery(): void {
    this.#done(null, this.#answers)
  }

  handleError(cause: unknown): void {
    // The one that failed may be prepared or not; those after it were skipped.
    for (const [text, place] of this.#fresh) if (place >= this.#answers.length) this.#session.forget(text)
    this.#done(new PipelineFailed(cause, this.#answers), this.#answers)
  }
}

/**
 * Sends the statements and resolves with an answer for each; rejects with `PipelineFailed` at the first that fails, and
 * then none after it was run. When nothing is heard for `boundMs`, the connection is broken off.
 */
export const send = (client: PoolClient, asks: ReadonlyArray<Ask>, boundMs: number): Promise<ReadonlyArray<Answer>> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => breakOff(client), boundMs)
    const pipeline = new Pipeline(sessionOf(client), asks, (problem, answers) => {
      clearTimeout(timer)
      if (problem === null) resolve(answers)
      else reject(problem)
    })
    client.query(pipeline)
  })

/** Ends the socket without a word: a server that does not answer would not hear it. */
const breakOff = (client: PoolClient & { readonly connection?: Connection }): void => {
  client.connection?.stream.destroy(new Error("the database does not answer"))
}
