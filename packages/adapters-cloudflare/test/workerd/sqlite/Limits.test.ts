/** What a Durable Object takes, refused in words before the product, or a simulator that lets it pass, is asked. */
import { runInDurableObject } from "cloudflare:test"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { reasonOf } from "@pawl/sql/Database"
import { CloudflareLimits } from "../../../src/CloudflareLimits.ts"
import { make } from "../../../src/sqlite/DurableObjectDatabase.ts"
import * as DurableObjectStores from "../../../src/sqlite/DurableObjectStores.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "../kit/Bound.ts"

const { sqlParameters, sqlRowBytes, sqlStatementBytes } = CloudflareLimits

let objects = 0
const inObject = <A>(work: (storage: ObjectStorage) => A | Promise<A>): Promise<A> =>
  runInDurableObject(bound.STORE.getByName(`limits-${objects++}`), (_, { storage }) => work(storage))

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const values = (count: number): string =>
  `SELECT ${numbers(count)
    .map(() => "?")
    .join(", ")}`

const refusal = (sql: string, params: ReadonlyArray<string | number>): Promise<string> =>
  inObject((storage) =>
    Effect.runPromise(Effect.map(Effect.flip(make(storage).query({ sql, params })), (error) => reasonOf(error)))
  )

describe("A statement for a Durable Object", () => {
  it("has at most 100 parameters", async () => {
    const rows = await inObject((storage) =>
      Effect.runPromise(make(storage).query({ sql: values(sqlParameters), params: numbers(sqlParameters) }))
    )
    expect(Object.keys(rows[0]!).length).toBeGreaterThan(0)
    expect(await refusal(values(sqlParameters + 1), numbers(sqlParameters + 1))).toBe(
      "a statement has 101 parameters; a Durable Object takes 100"
    )
  })

  it("is at most 100 KiB of UTF-8", async () => {
    const comment = (text: string) => `SELECT 1 /*${text}*/`
    expect(await refusal(comment("é".repeat(sqlStatementBytes / 2)), [])).toBe(
      `a statement is longer than ${sqlStatementBytes} bytes`
    )
  })

  it("binds no value that no row holds, whatever its characters take", async () => {
    const words = `a value is longer than ${sqlRowBytes} bytes, which no row of a Durable Object holds`
    expect(await refusal("SELECT length(?) AS n", ["é".repeat(sqlRowBytes / 2 + 1)])).toBe(words)
    expect(await refusal("SELECT length(?) AS n", ["x".repeat(sqlRowBytes + 1)])).toBe(words)
  })

  it("answers no value that no row holds", async () => {
    const words = `a value is longer than ${sqlRowBytes} bytes, which no row of a Durable Object holds`
    const half = "x".repeat(sqlRowBytes / 2)
    expect(await refusal("SELECT ? || ? || 'x' AS text", [half, half])).toBe(words)
  })

  it("that misses its rows undoes the whole batch, and so does one that fails", async () => {
    const left = await inObject(async (storage) => {
      const database = make(storage)
      storage.sql.exec("CREATE TABLE kept (n INTEGER PRIMARY KEY)")
      const one = { sql: "INSERT INTO kept VALUES (?)", params: [1] }
      const none = { sql: "UPDATE kept SET n = 3 WHERE n = ?", params: [2], rows: 1 }
      const otherwise = { sql: "SELECT count(*) AS n FROM kept", params: [] }
      const missed = await Effect.runPromise(database.batch([one, { ...none, otherwise }]))
      const failed = await Effect.runPromise(Effect.flip(database.batch([one, one])))
      const rows = await Effect.runPromise(database.query(otherwise))
      return { missed, failed: failed._tag, rows }
    })
    expect(left).toEqual({
      missed: { _tag: "Missed", index: 1, rows: [{ n: 1 }] },
      failed: "SqlError",
      rows: [{ n: 0 }]
    })
  })
})

/** A storage that notes what it is asked. */
const noting = (storage: ObjectStorage): { readonly asked: Array<string>; readonly storage: ObjectStorage } => {
  const asked: Array<string> = []
  const exec: ObjectStorage["sql"]["exec"] = (sql, ...params) => {
    asked.push(sql)
    return storage.sql.exec(sql, ...params)
  }
  return { asked, storage: { sql: { exec }, transactionSync: (work) => storage.transactionSync(work) } }
}

describe("The shape of an object's SQLite", () => {
  it("is made once; an object that wakes reads one row", async () => {
    const [first, again] = await inObject((whole) => {
      const counted = () => {
        const { asked, storage } = noting(whole)
        DurableObjectStores.bringToShape(storage)
        return asked
      }
      return [counted(), counted()]
    })
    expect(first!.length).toBeGreaterThan(100)
    expect(again!.map((sql) => sql.split(" ")[0])).toEqual(["CREATE", "SELECT"])
  })

  it("is not there at all when making it fails", async () => {
    const tables = await inObject((storage) => {
      const { asked, storage: noted } = noting(storage)
      const breaking: ObjectStorage = {
        ...noted,
        sql: {
          exec: (sql, ...params) => {
            if (asked.length === 50) throw new Error("out of memory")
            return noted.sql.exec(sql, ...params)
          }
        }
      }
      expect(() => DurableObjectStores.bringToShape(breaking)).toThrow()
      return storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'pawl%'").toArray()
    })
    expect(tables).toEqual([])
  })
})
