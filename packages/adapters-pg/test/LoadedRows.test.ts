import { copiedTables } from "@pawl/sql/copies/CopiedTables"
import { inOneGo, load } from "@pawl/sql/copies/LoadedRows"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { newSchema, onPostgres, storesOn, url } from "./PgFixture.ts"
import * as PostgresServer from "./PostgresServer.ts"

const table = copiedTables.find(({ name }) => name === "pawl_daily_counter")!

onPostgres("Rows that are loaded into Postgres", () => {
  it("are beside nobody else's: others write neither before nor meanwhile", async () => {
    const schema = newSchema()
    const asOther = (day: string) =>
      PostgresServer.administer(
        url,
        `SET lock_timeout = '50ms'; INSERT INTO ${schema}.pawl_daily_counter (day, name, used) VALUES ('${day}', 'theirs', 1)`
      ).then(
        () => "written",
        (error: Error) => error.message
      )
    const loading = inOneGo(
      "0".repeat(64),
      Effect.gen(function* () {
        yield* load(table, [{ day: "2026-11-27", name: "ours", used: 1 }])
        return yield* Effect.promise(() => asOther("2026-11-28"))
      })
    )
    await Effect.runPromise(
      Effect.gen(function* () {
        expect(yield* loading).toContain("lock timeout")
        expect(yield* Effect.promise(() => asOther("2026-11-29"))).toBe("written")
        expect(yield* Effect.flip(loading)).toMatchObject({ _tag: "DatabaseFilled", table: "pawl_daily_counter" })
      }).pipe(Effect.provide(storesOn(schema)))
    )
  })
})
