/** Asks a live app one question through the router, past every cache of pointers. No public route is needed. */
import { Context, type Effect, Schema } from "effect"
import type { Channel } from "../model/Pointer.ts"

/** No response came: a time-out, or the machinery before the app could not serve. A gap, never a pass. */
export class ProbeUnanswered extends Schema.TaggedError<ProbeUnanswered>()("ProbeUnanswered", {
  path: Schema.String,
  reason: Schema.String,
  /** True where the stores that an app is served from are away, which may come back: this says nothing of the app. */
  away: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `${this.path} did not answer: ${this.reason}`
  }
}

/** What the app answered, whatever its status. */
export interface ProbeAnswer {
  readonly status: number
  readonly contentType: string | null
  /** At most the first `Limits.probeBodyBytes` bytes. */
  readonly body: Uint8Array
}

/** Asks by label and channel, as a visitor of that host would. */
export class ProbeClient extends Context.Service<
  ProbeClient,
  {
    /** One GET, redirects not followed. `path` starts with a slash and may hold a query. `timeoutMs` covers the body too. */
    readonly get: (options: {
      readonly label: string
      readonly channel: Channel
      readonly path: string
      readonly timeoutMs: number
    }) => Effect.Effect<ProbeAnswer, ProbeUnanswered>
  }
>()("@pawl/core/release/ProbeClient") {}
