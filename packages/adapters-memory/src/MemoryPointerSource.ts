/** `PointerSource` over a list. */
import { Effect, Layer } from "effect"
import { PointerSource } from "@pawl/core/app/PointerSource"
import type { Channel, Pointer } from "@pawl/core/model/Pointer"

/** Pointers held in a list that the caller may change, and tombstones by label. */
export const layerMemory = (
  rows: { readonly list: ReadonlyArray<Pointer> },
  tombstones: { has(label: string): boolean } = new Set<string>()
): Layer.Layer<PointerSource> =>
  Layer.succeed(PointerSource, {
    find: (label, channel) =>
      Effect.sync(() => {
        const rowOf = (wanted: Channel) => rows.list.find((each) => each.label === label && each.channel === wanted)
        const production = rowOf("production")
        const gone = production?.status === "removed" || production?.leftovers === true
        if (channel !== "production" && gone) return "removed"
        return rowOf(channel) ?? (tombstones.has(label) ? "removed" : null)
      })
  })
