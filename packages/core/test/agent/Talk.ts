/** A talk of some turns with a provider that plays a script, for tests. */
import { type Context, Effect, Schema } from "effect"
import type { Asker } from "@pawl/core/agent/Asker"
import { ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { type Answer } from "@pawl/core/agent/Models"
import type { TurnFailure } from "@pawl/core/agent/TurnFailures"
import * as Turns from "@pawl/core/agent/Turns"
import { type Around } from "@pawl/testing/tools/PortWrap"
import { after, askOf, honest, newProvider, newStores, storesOf } from "./Asking.ts"

/** Does what is asked, and nothing beside it. */
export const untouched: Around = (_call, effect) => effect

/** A world with one Change of $1, and a provider. */
export const world = (script = honest, budgetUsd = 1) => {
  const provider = newProvider(script)
  const bare = newStores(budgetUsd, 2)
  return { provider, bare, services: storesOf(bare, untouched, provider) }
}

/** A talk of so many turns, as one process has it; what it heard. */
export const talk = (asker: Asker, count: number) =>
  Effect.gen(function* () {
    const turns = yield* Turns.of(asker, null)
    const heard: Array<Answer> = []
    let ask = askOf("Begin.")
    for (let n = 1; n <= count; n++) {
      const answer = yield* turns.turn(n, ask)
      heard.push(answer)
      const found = yield* turns.remember(
        `found-${n}`,
        Schema.String,
        Effect.sync(() => `found ${n}`)
      )
      ask = after(ask, answer, `${found}, then ${n}`)
    }
    return heard
  })

/** Why turns end. */
export const failing = <A>(
  turns: Effect.Effect<A, TurnFailure, Turns.TurnServices>,
  services: Context.Context<Turns.TurnServices>
) => Effect.runPromise(Effect.provide(Effect.flip(turns), services))

/** A provider that is away. */
export const away = (
  charged: "no" | "unknown",
  kind: ModelUnavailable["kind"] = "server",
  retryAfterMs: number | null = null
) => new ModelUnavailable({ kind, status: null, retryAfterMs, charged, reason: "it is away" })
