/** Asks a release target one question over HTTP. Where none is composed, no target ever answers: a gap. */
import { Context, Effect, Layer } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { type ProbeAnswer, ProbeUnanswered } from "./ProbeClient.ts"

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

export const TargetProbeClient = Context.Reference("@pawl/core/release/TargetProbeClient", {
  defaultValue: (): TargetProbeClientShape => ({
    get: ({ path }) => new ProbeUnanswered({ path, reason: "this installation probes no release targets" })
  })
})

/** What the one target answers, by path with its query. A path that is missing does not answer. The caller may change the map. */
export const layerMemory = (answers: ReadonlyMap<string, ProbeAnswer>): Layer.Layer<never> =>
  Layer.succeed(TargetProbeClient, {
    get: ({ path }) =>
      Effect.suspend(() => {
        const answer = answers.get(path)
        return answer === undefined
          ? new ProbeUnanswered({ path, reason: "no response" })
          : Effect.succeed({ ...answer, body: answer.body.slice(0, Limits.probeBodyBytes) })
      })
  })
