/**
 * A bounded cache in which many who miss the same key at once share one load.
 * A load belongs to the cache, not to who asked first: a visitor who leaves takes nothing from the others.
 * A key invalidated while its load runs is not filled by it, and the next to ask starts a new load.
 */
import { steadyMillisOf } from "@pawl/core/primitives/Time"
import { type Clock, Context, Deferred, Effect, type Scope } from "effect"

/**
 * Whether those who miss the same key at once share one load. In a Worker of Cloudflare what one request waits for may not
 * be ended by another: there each loads for itself, and they share what was loaded.
 */
export const SharesLoads = Context.Reference<boolean>("@pawl/router/SharedCache/SharesLoads", {
  defaultValue: () => true
})

interface Entry<V> {
  readonly value: V
  readonly weight: number
  readonly expiresAtMs: number
}

/** Values by key. What is dropped for want of room is the key unused for longest. */
export interface SharedCache<V, E> {
  /** The value of a key, from the cache or from `load`. Failures are not kept. */
  readonly get: (key: string, load: Effect.Effect<V, E>) => Effect.Effect<V, E>
  /** As `get` without a load, at once. */
  readonly peek: (key: string) => V | undefined
  readonly invalidate: (matches: (key: string) => boolean) => void
  readonly size: () => number
}

/** The bounds of a cache. Loads run in `scope`, whoever asked for them. */
export interface SharedCacheOptions<V> {
  readonly scope: Scope.Scope
  /** See `SharesLoads`; they do when it is not said. */
  readonly sharesLoads?: boolean
  /** Of all values together, in the unit of `weigh`. What is heavier by itself is not kept. */
  readonly maxWeight: number
  readonly weigh: (value: V) => number
  /** Absent: values do not age. */
  readonly aging?: { readonly maxMs: number; readonly clock: Clock.Clock }
}

/** What was loaded, by key. What is dropped for want of room is the key unused for longest. */
const makeShelf = <V>({ maxWeight, weigh }: Pick<SharedCacheOptions<V>, "maxWeight" | "weigh">, maxAgeMs: number) => {
  // A Map keeps the order of insertion: the first key is the one unused for longest.
  const entries = new Map<string, Entry<V>>()
  let total = 0
  let newest: string | null = null

  const drop = (key: string, entry: Entry<V>) => {
    entries.delete(key)
    total -= entry.weight
  }
  const put = (key: string, value: V, nowMs: number) => {
    const old = entries.get(key)
    if (old !== undefined) drop(key, old)
    const weight = weigh(value)
    if (weight > maxWeight) return
    entries.set(key, { value, weight, expiresAtMs: nowMs + maxAgeMs })
    newest = key
    total += weight
    for (const [oldest, entry] of entries) {
      if (total <= maxWeight) return
      drop(oldest, entry)
    }
  }
  /** The value of a key, which is then the one used last. */
  const take = (key: string, nowMs: number): V | undefined => {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    if (nowMs >= entry.expiresAtMs) {
      drop(key, entry)
      return undefined
    }
    if (key !== newest) {
      entries.delete(key)
      entries.set(key, entry)
      newest = key
    }
    return entry.value
  }
  const invalidate = (matches: (key: string) => boolean) => {
    for (const [key, entry] of entries) if (matches(key)) drop(key, entry)
  }
  return { put, take, invalidate, size: () => entries.size }
}

/** An empty cache. */
export const make = <V, E>(options: SharedCacheOptions<V>): SharedCache<V, E> => {
  const { aging, scope, sharesLoads = true } = options
  const now = aging === undefined ? () => 0 : () => steadyMillisOf(aging.clock)
  const { invalidate, put, size, take } = makeShelf(options, aging?.maxMs ?? Infinity)
  const flights = new Map<string, Deferred.Deferred<V, E>>()
  /** How often something was invalidated: who loads alone keeps nothing that began before. */
  let invalidations = 0

  // A visitor may leave at any moment, but not between the flight's entry and its start: nobody would end it then.
  const fly = (key: string, load: Effect.Effect<V, E>, startedAtMs: number): Effect.Effect<V, E> =>
    Effect.uninterruptibleMask((restore) => {
      const flight = Deferred.makeUnsafe<V, E>()
      flights.set(key, flight)
      return load.pipe(
        // Aged from the start of the load: what was read is at least that old.
        Effect.tap((value) => Effect.sync(() => void (flights.get(key) === flight && put(key, value, startedAtMs)))),
        Effect.ensuring(Effect.sync(() => void (flights.get(key) === flight && flights.delete(key)))),
        Deferred.into(flight),
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.andThen(restore(Deferred.await(flight)))
      )
    })
  const alone = (key: string, load: Effect.Effect<V, E>, startedAtMs: number): Effect.Effect<V, E> => {
    const before = invalidations
    return Effect.tap(load, (value) =>
      Effect.sync(() => void (invalidations === before && put(key, value, startedAtMs)))
    )
  }
  const look = (key: string, load: Effect.Effect<V, E>): Effect.Effect<V, E> => {
    const nowMs = now()
    const value = take(key, nowMs)
    if (value !== undefined) return Effect.succeed(value)
    if (!sharesLoads) return alone(key, load, nowMs)
    const flight = flights.get(key)
    return flight === undefined ? fly(key, load, nowMs) : Deferred.await(flight)
  }

  return {
    get: (key, load) => Effect.suspend(() => look(key, load)),
    peek: (key) => take(key, now()),
    invalidate: (matches) => {
      invalidations++
      invalidate(matches)
      for (const key of flights.keys()) if (matches(key)) flights.delete(key)
    },
    size
  }
}
