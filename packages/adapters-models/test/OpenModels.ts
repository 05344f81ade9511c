/** Models over a scripted provider, closed when the test ends. */
import type { Ask } from "@pawl/core/agent/Models"
import { Models } from "@pawl/core/agent/Models"
import { askOf } from "@pawl/testing/contracts/agents/ModelsContract"
import type { Script } from "@pawl/testing/provider/Script"
import * as ScriptedProvider from "@pawl/testing/provider/ScriptedProvider"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { onTestFinished } from "vitest"
import * as HttpModels from "@pawl/adapters-models/HttpModels"
import type { Dialect, ModelEndpoint } from "@pawl/adapters-models/ModelEndpoint"

/** No error, log or span may hold it. */
export const key = "sk-canary-0123456789"

export const prices = { input: 3, cached: 0.3, output: 15 }

const model = (name: string) => ({ name, contextTokens: 128_000, prices })

export const layerAt = (endpoint: ModelEndpoint) =>
  HttpModels.layer({
    endpoint,
    tiers: { fast: model("model-fast"), balanced: model("model-balanced"), strong: model("model-strong") }
  }).pipe(Layer.provide(FetchHttpClient.layer))

/** Models of a dialect, whose provider does what a script says. */
export const openModels = async (dialect: Dialect, script: Script) => {
  const provider = await ScriptedProvider.open(script)
  onTestFinished(provider.close)
  const layer = layerAt({ dialect, url: provider.url, key: Redacted.make(key) })
  const ask = (fields: Partial<Ask> = {}) =>
    Effect.flatMap(Models, (models) => models.ask(askOf(fields))).pipe(Effect.provide(layer))
  return {
    provider,
    layer,
    ask: (fields: Partial<Ask> = {}) => Effect.runPromise(ask(fields)),
    failure: async (fields: Partial<Ask> = {}) => {
      const failure = await Effect.runPromise(Effect.flip(ask(fields)))
      const told = JSON.stringify(failure) + failure.message + String(failure.stack)
      return { failure, told }
    }
  }
}
