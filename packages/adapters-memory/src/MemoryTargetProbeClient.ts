/** `TargetProbeClient` over a map of answers. */
import { Effect, Layer } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { type ProbeAnswer, ProbeUnanswered } from "@pawl/core/release/ProbeClient"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"

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
