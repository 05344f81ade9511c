/** One head that many swap at once, on the SQLite of a Durable Object, inside the object, in workerd. */
import { linearHistoryContract } from "@pawl/testing/contracts/stores/LinearHistoryContract"
import { Effect, Layer } from "effect"
import { insideObjects } from "../kit/Inside.ts"

const { stores, within } = insideObjects("history")

linearHistoryContract(
  "Durable Object",
  {
    within,
    open: (count) =>
      Effect.replicateEffect(
        Effect.suspend(() => Layer.build(Layer.fresh(stores))),
        count
      )
  },
  { count: 32, swaps: 500 }
)
