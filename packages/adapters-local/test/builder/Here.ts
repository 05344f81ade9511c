/** Builds in the test's own process. What a source becomes is the same there: to start a process takes most of the time. */
import { layer, type Options } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { finish } from "@pawl/adapters-local/builder/bundler/EsbuildWork"
import { Effect } from "effect"

/** The builder without its processes, for sources that harm none. */
export const layerHere = (options: Options = {}) =>
  layer({
    ...options,
    bundling: (order) =>
      Effect.map(
        Effect.promise(() => finish(order, null)),
        (answer) => (answer._tag === "Died" ? { ...answer, reason: "It died in the test." } : answer)
      )
  })
