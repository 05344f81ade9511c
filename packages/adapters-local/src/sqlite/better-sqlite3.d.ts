/** The part of better-sqlite3 that is used here; the package brings no types. */
declare module "better-sqlite3" {
  export interface Statement {
    /** Whether it answers rows. */
    readonly reader: boolean
    /** Whether it leaves the database as it is; BEGIN and COMMIT say so too. */
    readonly readonly: boolean
    run(...params: ReadonlyArray<unknown>): { readonly changes: number; readonly lastInsertRowid: number }
    all(...params: ReadonlyArray<unknown>): ReadonlyArray<Readonly<Record<string, unknown>>>
    get(...params: ReadonlyArray<unknown>): Readonly<Record<string, unknown>> | undefined
    /** Rows one by one; the connection does nothing else until the last one, or the iterator's end. */
    iterate(...params: ReadonlyArray<unknown>): IterableIterator<Readonly<Record<string, unknown>>>
    /** The statement, whose rows are arrays from now on. */
    raw(on: true): {
      get(...params: ReadonlyArray<unknown>): ReadonlyArray<unknown> | undefined
      all(...params: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>>
    }
  }
  export default class Sqlite {
    constructor(filename: string, options?: { readonly timeout?: number; readonly readonly?: boolean })
    readonly inTransaction: boolean
    prepare(sql: string): Statement
    pragma(text: string): unknown
    close(): void
  }
}
