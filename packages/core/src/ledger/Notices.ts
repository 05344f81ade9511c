/**
 * "Look now", said to the other processes on the same database. A notice carries a topic and no data, and it may be
 * lost, doubled or late: whoever listens also polls. What carries it is an adapter's matter.
 */
import { Context, Effect, Layer, type Scope } from "effect"

/** Who is told of notices. */
export interface Listener {
  /** Another process published the topic. */
  readonly heard: (topic: string) => void
  /** From now on, or until now, notices may have been missed. */
  readonly missed: () => void
}

/** Publishing never fails and never waits. */
export class Notices extends Context.Service<
  Notices,
  {
    /** Tells the other processes, soon. A topic has no line break, and at most `Limits.noticeTopicBytes`. */
    readonly publish: (topic: string) => void
    /** Listens until the answer is called. */
    readonly subscribe: (listener: Listener) => () => void
    /** Why nothing is told and heard at this moment, in words without secrets; null while it is. */
    readonly away: Effect.Effect<string | null>
  }
>()("@pawl/core/ledger/Notices") {}

/**
 * Joins those who name the same place, until the scope ends: they hear each other, and nobody else does. The place is
 * the database's name for itself, the same in each process on it. It never fails: what is away is tried again.
 */
export type Join = (place: string) => Effect.Effect<Notices["Service"], never, Scope.Scope>

/** For one who tells nobody and hears nobody. */
export const alone: Notices["Service"] = Notices.of({
  publish: () => undefined,
  subscribe: () => () => undefined,
  away: Effect.succeed(null)
})

/** For a store that one process has to itself: there is nobody to tell. */
export const layerAlone: Layer.Layer<Notices> = Layer.succeed(Notices, alone)
