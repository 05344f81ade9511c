import * as MemoryNotices from "@pawl/adapters-memory/MemoryNotices"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import type { Join } from "@pawl/core/ledger/Notices"
import { Database } from "@pawl/sql/Database"
import { Context, Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { newSchema, onPostgres, url } from "./PgFixture.ts"
import * as PostgresServer from "./PostgresServer.ts"

/** A medium for notices, and the places that were named when somebody joined. */
const medium = () => {
  const [join, places] = [MemoryNotices.make(), new Array<string>()]
  const noting: Join = (place) => {
    places.push(place)
    return join(place)
  }
  return { notices: noting, places }
}

const signalsOf = (options: PgClient.Options) =>
  Effect.map(Layer.build(PgClient.layer(options)), (context) => Context.get(context, Database).signals!)

onPostgres("Notices that something else than Postgres carries", () => {
  it("are told and heard by all on one schema, whoever they are there, and by nobody on another one", () =>
    Effect.gen(function* () {
      const { notices, places } = medium()
      const [schema, other] = [newSchema(), newSchema()]
      const here = yield* signalsOf({ url: Redacted.make(url), schema, notices })
      const rightless = `${schema}_user`
      yield* Effect.promise(() =>
        PostgresServer.administer(
          url,
          `CREATE ROLE ${rightless} LOGIN PASSWORD 'none'; GRANT USAGE ON SCHEMA ${schema} TO ${rightless}`
        )
      )
      const asOther = new URL(url)
      asOther.username = rightless
      asOther.password = "none"
      const there = yield* signalsOf({ url: Redacted.make(asOther.toString()), schema, notices })
      const elsewhere = yield* signalsOf({ url: Redacted.make(url), schema: other, notices })
      const heard: Array<string> = []
      there.listen((topic) => heard.push(`there: ${topic}`))
      elsewhere.listen((topic) => heard.push(`elsewhere: ${topic}`))
      here.notify("work")
      expect(heard).toEqual(["there: work"])
      expect(places).toEqual([places[0], places[0], expect.stringMatching(new RegExp(`^\\d+/\\d+/${other}$`))])
      expect(places[0]).toMatch(new RegExp(`^\\d+/\\d+/${schema}$`))
    }).pipe(Effect.scoped, Effect.runPromise))
})
