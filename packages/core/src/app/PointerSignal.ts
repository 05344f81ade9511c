/** Tells routers that a pointer moved, so that *removed at once* and *live at once* mean the next request. */
import { Context, Effect } from "effect"

/** Told after the commit, by label. Without one of its own a program tells nobody. */
export const PointerSignal = Context.Reference("@pawl/core/app/PointerSignal", {
  defaultValue: () => ({ moved: (_label: string): Effect.Effect<void> => Effect.void })
})
