/** Where routers read pointers: the row of a label and channel, or the tombstone that a removed app leaves. */
import { Context, type Effect, Schema } from "effect"
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

/** The one question that a router asks of the records. */
export class PointerSource extends Context.Service<
  PointerSource,
  {
    /** The committed row of this very moment; caching is the router's business. A row marked removed is answered as it stands. */
    readonly find: (label: string, channel: Channel) => Effect.Effect<FoundPointer, PointerSourceUnavailable>
  }
>()("@pawl/core/app/PointerSource/PointerSource") {}
