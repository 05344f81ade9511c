import { Effect, Layer } from "effect"
import { linearHistoryContract } from "@pawl/testing/contracts/stores/LinearHistoryContract"
import { newSchema, onPostgres, storesOn } from "./PgFixture.ts"

onPostgres("Swaps on Postgres", () => {
  linearHistoryContract(
    "Postgres",
    {
      open: (count) =>
        Effect.suspend(() => {
          const schema = newSchema()
          return Effect.replicateEffect(
            Effect.suspend(() => Layer.build(storesOn(schema, { connections: 1 }))),
            count
          )
        })
    },
    { count: 32, swaps: 500 }
  )
})
