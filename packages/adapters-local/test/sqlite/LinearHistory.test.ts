import { Effect, Layer } from "effect"
import { linearHistoryContract } from "@pawl/testing/contracts/stores/LinearHistoryContract"
import { storesOn, temporaryFile } from "./SqliteFixture.ts"

linearHistoryContract(
  "SQLite",
  {
    open: (count) =>
      Effect.flatMap(temporaryFile, (file) =>
        Effect.replicateEffect(
          Effect.suspend(() => Layer.build(storesOn(file))),
          count
        )
      )
  },
  { count: 32, swaps: 500 }
)
