/** Asks a release target one question over HTTP. Where none is composed, no target ever answers: a gap. */
import { Context, type Effect } from "effect"
import { type ProbeAnswer, ProbeUnanswered } from "./ProbeClient.ts"

/** What a release asks of its target. */
export interface TargetProbeClientShape {
  /**
   * One GET, redirects not followed. `url` is the target's, without a path; `path` starts with a slash and may hold a
   * query. `timeoutMs` covers the body too. The body is at most its first `Limits.probeBodyBytes` bytes.
   */
  readonly get: (options: {
    readonly url: string
    readonly path: string
    readonly timeoutMs: number
  }) => Effect.Effect<ProbeAnswer, ProbeUnanswered>
}

/** Without one of its own a program has no answers: every probe is a gap. */
export const TargetProbeClient = Context.Reference("@pawl/core/release/TargetProbeClient", {
  defaultValue: (): TargetProbeClientShape => ({
    get: ({ path }) => new ProbeUnanswered({ path, reason: "this installation probes no release targets" })
  })
})
