/** What `Effect.uninterruptibleMask` gives: makes an effect interruptible again, if what stands around the mask is. */
import type { Effect } from "effect"

/** What the function given to `Effect.uninterruptibleMask` is handed. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
