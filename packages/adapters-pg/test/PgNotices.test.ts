import * as PgNotices from "@pawl/adapters-pg/PgNotices"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { newSchema, onPostgres, url } from "./PgFixture.ts"

const moment = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

onPostgres("Notices of Postgres", () => {
  it("are heard once more when they are published again while the first one is being sent", () =>
    Effect.gen(function* () {
      const options = { url: Redacted.make(url), schema: newSchema() }
      const [here, there] = [yield* PgNotices.make(options), yield* PgNotices.make(options)]
      const heard: Array<string> = []
      const ended = new Promise<void>((resolve) => {
        there.subscribe({
          heard: (topic) => {
            heard.push(topic)
            if (topic === "end") resolve()
          },
          missed: () => undefined
        })
      })
      here.publish("a")
      // It is on its way now.
      yield* moment
      here.publish("a")
      yield* moment
      here.publish("end")
      yield* Effect.promise(() => ended)
      expect(heard).toEqual(["a", "a", "end"])
    }).pipe(Effect.scoped, Effect.runPromise))
})
