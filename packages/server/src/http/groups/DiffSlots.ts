/** The long answers that git makes at once, in turn for those who ask for them. */
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Context, Effect, Layer, Stream } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"

/** Slots by caller, shared by all diffs and long files of this process. */
export class DiffSlots extends Context.Service<DiffSlots, FairSlots.FairSlots>()(
  "@pawl/server/http/groups/DiffSlots"
) {}

/** As many slots as `ServerLimits.diffsAtOnce`. */
export const layer: Layer.Layer<DiffSlots> = Layer.sync(DiffSlots, () => FairSlots.make(ServerLimits.diffsAtOnce))

/** A stream that holds a slot of the caller's from its first piece to its end. */
export const streamed = <A, E, R>(slots: FairSlots.FairSlots, caller: string, stream: Stream.Stream<A, E, R>) =>
  Stream.unwrap(Effect.as(slots.take(caller), stream))
