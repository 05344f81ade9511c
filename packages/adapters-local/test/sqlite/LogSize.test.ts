import { statSync } from "node:fs"
import Sqlite from "better-sqlite3"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { insert } from "@pawl/core/ledger/Commit"
import { change, commit } from "@pawl/testing/tools/StoreFixtures"
import { storesOn, temporaryFile } from "./SqliteFixture.ts"

const MiB = 1024 * 1024

/** Each commit puts a little more than 1 MiB into the log. */
const grow = (from: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, at) => from + at),
    (n) => commit({ writes: [insert("change", change(n, { goal: "x".repeat(MiB) }))] }),
    { discard: true }
  )

/** A connection that reads as things stand now, until its scope ends. */
const reader = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const db = new Sqlite(file, { readonly: true })
      db.prepare("BEGIN").run()
      db.prepare("SELECT count(*) FROM pawl_change").all()
      return db
    }),
    (db) => Effect.sync(() => db.close())
  )

it("uses the log from its start again after 16 MiB, and cuts it back to 32 MiB when a reader has held it up", () =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    const logBytes = () => statSync(`${file}-wal`).size
    yield* Effect.gen(function* () {
      yield* grow(1, 40)
      expect(logBytes()).toBeGreaterThan(8 * MiB)
      expect(logBytes()).toBeLessThan(20 * MiB)
      yield* Effect.scoped(Effect.andThen(reader(file), grow(41, 40)))
      expect(logBytes()).toBeGreaterThan(36 * MiB)
      yield* grow(81, 2)
      expect(logBytes()).toBeLessThanOrEqual(32 * MiB)
    }).pipe(Effect.provide(storesOn(file)))
  }).pipe(Effect.scoped, Effect.runPromise))
