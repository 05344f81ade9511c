/** A signer that has just failed is left alone for a while: each chain that waits for it would ask. */
import { Effect } from "effect"
import { steadyMillis } from "../primitives/Time.ts"
import type { SignerUnavailable } from "./Signer.ts"

/** For all questions to one signer: after a failure they fail with the same for `spareMs`, without being asked. */
export const sparing = (spareMs: number) => {
  let failed: { readonly untilMs: number; readonly problem: SignerUnavailable } | null = null
  return <A>(asked: Effect.Effect<A, SignerUnavailable>) =>
    Effect.gen(function* () {
      const now = yield* steadyMillis
      if (failed !== null && now < failed.untilMs) return yield* failed.problem
      failed = null
      return yield* Effect.tapError(asked, (problem) =>
        Effect.map(steadyMillis, (at) => {
          failed = { untilMs: at + spareMs, problem }
        })
      )
    })
}
