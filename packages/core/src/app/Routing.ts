/** Where routers read pointers: the row of a label and channel, or the tombstone that a removed app leaves. */
import { Context, Effect, Layer, Schema } from "effect"
import type { Channel, Pointer } from "../model/Pointer.ts"

/** The pointers cannot be read. Nothing is known about the host: answer 503 and try again. */
export class PointerSourceUnavailable extends Schema.TaggedError<PointerSourceUnavailable>()(
  "PointerSourceUnavailable",
  {
    reason: Schema.String
  }
) {
  override get message() {
    return `The pointers cannot be read: ${this.reason}`
  }
}

/** `"removed"`: the rows are gone, the label's tombstone stands. `null`: the label never had this channel. */
export type FoundPointer = Pointer | "removed" | null

export class PointerSource extends Context.Service<
  PointerSource,
  {
    /** The committed row of this very moment; caching is the router's business. A row marked removed is answered as it stands. */
    readonly find: (label: string, channel: Channel) => Effect.Effect<FoundPointer, PointerSourceUnavailable>
  }
>()("@pawl/core/app/Routing/PointerSource") {}

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
