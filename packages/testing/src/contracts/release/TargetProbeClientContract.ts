/** What every TargetProbeClient promises: the target's own answer as it is, or a typed gap. */
import { Effect, type Layer } from "effect"
import { describe } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import type { ProbeAnswer } from "@pawl/core/release/ProbeClient"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { probeAnswers } from "./ProbeAnswers.ts"

/** How an adapter's test makes a live target for this contract. */
export interface TargetProbeClientFixture {
  /** A target that answers these paths (with their queries) and hangs on every other. */
  readonly layer: (answers: ReadonlyMap<string, ProbeAnswer>) => Layer.Layer<never, unknown>
  /** Where it answers; known once the layer is there. */
  readonly url: () => string
}

/** Declares the suite; `name` names the adapter in its title. */
export const targetProbeClientContract = (name: string, fixture: TargetProbeClientFixture): void => {
  describe(`${name}: TargetProbeClient`, () => {
    probeAnswers((answers, use) =>
      Effect.flatMap(TargetProbeClient, (client) =>
        use((path, timeoutMs = Limits.probeTimeoutMs) => client.get({ url: fixture.url(), path, timeoutMs }))
      ).pipe(Effect.provide(fixture.layer(new Map(Object.entries(answers)))), Effect.runPromise)
    )
  })
}
