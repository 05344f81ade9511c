/**
 * The script that asks models. It has no route, and is bound to nothing of a Project's; it alone has their key. Nothing is
 * shared between two calls.
 */
import { WorkerEntrypoint } from "cloudflare:workers"
import * as HttpModels from "@pawl/adapters-models/HttpModels"
import { type Ask, Models } from "@pawl/core/agent/Models"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import type { ModelChoice } from "./Bindings.ts"
import { type ModelCalls, modelTold } from "./RemoteModels.ts"

/** Bindings of the script. */
export interface ModelsBindings {
  readonly MODELS: Pick<ModelChoice, "endpoint" | "tiers">
  /** Of the models' provider; missing where that asks for none. */
  readonly MODEL_KEY?: string
}

/** For the objects. */
export class ForObjects extends WorkerEntrypoint<ModelsBindings> implements ModelCalls {
  ask(ask: Ask) {
    const { MODEL_KEY, MODELS } = this.env
    const endpoint = { ...MODELS.endpoint, key: MODEL_KEY === undefined ? null : Redacted.make(MODEL_KEY) }
    const models = Layer.provide(HttpModels.layer({ endpoint, tiers: MODELS.tiers }), FetchHttpClient.layer)
    return modelTold(
      Effect.provide(
        Effect.flatMap(Models, (each) => each.ask(ask)),
        models
      )
    )
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
