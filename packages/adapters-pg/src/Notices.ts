/**
 * "Look now", said to the other processes on the same schema. A notice carries a topic and no data, and it may be lost:
 * whoever listens also polls. Over Postgres it goes by `PgNotices`; this file stands without a client of Postgres, for
 * those that have none.
 */
import { Context, Layer } from "effect"

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
    /** Tells the other processes, soon. A topic has no line break and at most 1,000 bytes. */
    readonly publish: (topic: string) => void
    /** Listens until the answer is called. */
    readonly subscribe: (listener: Listener) => () => void
  }
>()("@pawl/adapters-pg/Notices") {}

/** For a store that one process has to itself: there is nobody to tell. */
export const layerAlone: Layer.Layer<Notices> = Layer.succeed(Notices, {
  publish: () => undefined,
  subscribe: () => () => undefined
})
