/**
 * Pointers for routers, straight from the records: the row of a label and channel, or the label's tombstone. A row is found
 * by columns that stand beside it, and whoever writes the store may have them say something else: one that is of another
 * host by its own words is of none.
 */
import { Effect, Layer } from "effect"
import { Records } from "../ledger/Records.ts"
import type { Channel } from "../model/Pointer.ts"
import { PointerSource, PointerSourceUnavailable } from "./PointerSource.ts"

/** Reads at each question; where the records are away, or a row is of another host, it is `PointerSourceUnavailable`. */
export const layer = Layer.effect(
  PointerSource,
  Effect.map(Records, (records) => ({
    find: (label, channel) =>
      Effect.gen(function* () {
        const rowOf = Effect.fnUntraced(function* (wanted: Channel) {
          const page = yield* records.list("pointer", { where: { label, channel: wanted }, limit: 1 })
          const row = page.items[0]?.record ?? null
          if (row !== null && (row.label !== label || row.channel !== wanted))
            return yield* new PointerSourceUnavailable({
              reason: `the row of ${wanted} of ${label} is of another host`
            })
          return row
        })
        if (channel === "production") return yield* rowOf(channel)
        // Previews and versions go with the app, whatever their own rows say; rows that are left of an app before are
        // never served. A label whose app was removed keeps answering 410 until it gets a new pointer.
        const production = yield* rowOf("production")
        if (production !== null && (production.status === "removed" || production.leftovers === true)) return "removed"
        return yield* rowOf(channel)
      }).pipe(Effect.catchTag("LedgerUnavailable", ({ reason }) => new PointerSourceUnavailable({ reason })))
  }))
)
