/** Pointers as the router remembers them: for 10 seconds at most, and not a request longer than a push allows. */
import { RouterLimits } from "./RouterLimits.ts"
import type { Channel } from "@pawl/core/model/Pointer"
import { PointerSignal } from "@pawl/core/app/PointerSignal"
import { type FoundPointer, PointerSource, PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import { Meters } from "@pawl/core/telemetry/Meters"
import { Clock, Context, Effect, Layer } from "effect"
import * as SharedCache from "./SharedCache.ts"

/** Pointers of hosts, by label and channel. */
export class PointerCache extends Context.Service<
  PointerCache,
  {
    /** The row of a host, at most `RouterLimits.pointerCacheMs` old. One in memory is there at once: the effect has succeeded. */
    readonly find: (label: string, channel: Channel) => Effect.Effect<FoundPointer, PointerSourceUnavailable>
    /** The row as it is committed now. Neither reads nor fills the cache. */
    readonly findFresh: (label: string, channel: Channel) => Effect.Effect<FoundPointer, PointerSourceUnavailable>
    /** Forgets every channel of a label: whoever asks from now on gets a row read from now on. */
    readonly invalidate: (label: string) => Effect.Effect<void>
    /** Forgets everything, for a router that may have missed a push. */
    readonly invalidateAll: Effect.Effect<void>
  }
>()("@pawl/router/PointerCache") {}

// A label has no blank, so no label's keys start like another's.
const keyOf = (label: string, channel: string) => `${label} ${channel}`

const freshFrom =
  (source: PointerSource["Service"]) =>
  (label: string, channel: Channel): Effect.Effect<FoundPointer, PointerSourceUnavailable> =>
    Effect.timeoutOrElse(source.find(label, channel), {
      duration: RouterLimits.pointerLookupMs,
      orElse: () =>
        Effect.fail(new PointerSourceUnavailable({ reason: `no answer within ${RouterLimits.pointerLookupMs} ms` }))
    })

/** Nothing is remembered: each visit asks the source. */
export const layerFresh: Layer.Layer<PointerCache, never, PointerSource> = Layer.effect(
  PointerCache,
  Effect.map(PointerSource, (source) => ({
    find: freshFrom(source),
    findFresh: freshFrom(source),
    invalidate: () => Effect.void,
    invalidateAll: Effect.void
  }))
)

/** Over a source of pointers. One that cannot be read is not remembered. */
export const layer: Layer.Layer<PointerCache, never, PointerSource> = Layer.effect(
  PointerCache,
  Effect.gen(function* () {
    const source = yield* PointerSource
    const { pointerLoads, pointerReads } = yield* Meters
    const cache = SharedCache.make<FoundPointer, PointerSourceUnavailable>({
      scope: yield* Effect.scope,
      maxWeight: RouterLimits.pointerCacheEntries,
      weigh: () => 1,
      aging: { maxMs: RouterLimits.pointerCacheMs, clock: yield* Clock.Clock }
    })
    const findFresh = freshFrom(source)
    const load = (label: string, channel: Channel) =>
      Effect.suspend(() => {
        pointerLoads.add()
        return findFresh(label, channel)
      })
    return {
      findFresh,
      find: (label, channel) => {
        pointerReads.add()
        const key = keyOf(label, channel)
        const row = cache.peek(key)
        return row === undefined ? cache.get(key, load(label, channel)) : Effect.succeed(row)
      },
      invalidate: (label) => Effect.sync(() => cache.invalidate((key) => key.startsWith(keyOf(label, "")))),
      invalidateAll: Effect.sync(() => cache.invalidate(() => true))
    }
  })
)

/** Lets the use cases of this process push straight into its router. */
export const layerSignal: Layer.Layer<never, never, PointerCache> = Layer.effect(
  PointerSignal,
  Effect.map(PointerCache, (cache) => ({ moved: cache.invalidate }))
)
