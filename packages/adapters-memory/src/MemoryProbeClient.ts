/** `ProbeClient` over a map of answers. */
import { Effect, Layer } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { type ProbeAnswer, ProbeClient, ProbeUnanswered } from "@pawl/core/release/ProbeClient"

/** Looks an answer up by its path; shared by all who probe in memory. */
export const lookUp =
  (answers: ReadonlyMap<string, ProbeAnswer>) =>
  ({ path }: { readonly path: string }) =>
    Effect.suspend(() => {
      const answer = answers.get(path)
      return answer === undefined
        ? new ProbeUnanswered({ path, reason: "no response" })
        : Effect.succeed({ ...answer, body: answer.body.slice(0, Limits.probeBodyBytes) })
    })

/** What the one app answers, by path with its query. A path that is missing does not answer. The caller may change the map. */
export const layerMemory = (answers: ReadonlyMap<string, ProbeAnswer>): Layer.Layer<ProbeClient> =>
  Layer.succeed(ProbeClient, { get: lookUp(answers) })
