/** Pointers for routers, straight from the records: the row of a label and channel, or the label's tombstone. */
import { Effect, Layer } from "effect"
import { Records } from "../ledger/Records.ts"
import { PointerSource, PointerSourceUnavailable } from "./Routing.ts"

export const layer = Layer.effect(
  PointerSource,
  Effect.map(Records, (records) => ({
    find: (label, channel) =>
      Effect.gen(function* () {
        const rows = yield* records.list("pointer", { where: { label, channel }, limit: 1 })
        const row = rows.items[0]
        if (row !== undefined) return row.record
        // No row of this channel: a label whose app was removed keeps answering 410 until it gets a new pointer.
        const others = yield* records.list("pointer", { where: { label, channel: "production" }, limit: 1 })
        return others.items[0]?.record.status === "removed" ? "removed" : null
      }).pipe(Effect.mapError((fault) => new PointerSourceUnavailable({ reason: fault.reason })))
  }))
)
