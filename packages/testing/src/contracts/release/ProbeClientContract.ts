/** What every ProbeClient promises: the app's own answer as it is, or a typed gap, never a pass in between. */
import { Effect, type Layer } from "effect"
import { describe } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { type ProbeAnswer, ProbeClient } from "@pawl/core/release/ProbeClient"
import { probeAnswers } from "./ProbeAnswers.ts"

/** How an adapter's test makes a live app for this contract. */
export interface ProbeClientFixture {
  /** The label `shop` with one live app in production. It answers these paths (with their queries) and hangs on every other. */
  readonly layer: (answers: ReadonlyMap<string, ProbeAnswer>) => Layer.Layer<ProbeClient, unknown>
}

/** Declares the suite; `name` names the adapter in its title. */
export const probeClientContract = (name: string, fixture: ProbeClientFixture): void => {
  describe(`${name}: ProbeClient`, () => {
    probeAnswers((answers, use) =>
      Effect.flatMap(ProbeClient, (client) =>
        use((path, timeoutMs = Limits.probeTimeoutMs) =>
          client.get({ label: "shop", channel: "production", path, timeoutMs })
        )
      ).pipe(Effect.provide(fixture.layer(new Map(Object.entries(answers)))), Effect.runPromise)
    )
  })
}
