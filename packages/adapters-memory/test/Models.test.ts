import { ModelRefused, ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import type { Answer, ModelsShape } from "@pawl/core/agent/Models"
import { type ModelBehaviour, modelsContract } from "@pawl/testing/contracts/agents/ModelsContract"
import { Effect } from "effect"
import * as MemoryModels from "@pawl/adapters-memory/MemoryModels"

const model = { name: "scripted", contextTokens: 128_000, prices: { input: 3, cached: 0.3, output: 15 } }
const answer = (fields: Pick<Answer, "text" | "calls" | "stop">): Answer => ({
  ...fields,
  usage: { input: 200, cacheRead: 1000, cacheWrite: 0, output: 30, known: true },
  requestId: null
})
const behaviours: Readonly<Record<ModelBehaviour, ReturnType<ModelsShape["ask"]>>> = {
  "calls a tool": Effect.succeed(
    answer({
      text: "",
      calls: [{ id: "call_0", name: "read", input: { path: "a.js" }, raw: '{"path":"a.js"}' }],
      stop: "tools"
    })
  ),
  "says text": Effect.succeed(answer({ text: "done", calls: [], stop: "end" })),
  "is away": Effect.fail(
    new ModelUnavailable({ kind: "overloaded", status: 529, retryAfterMs: null, charged: "no", reason: "overloaded" })
  ),
  refuses: Effect.fail(new ModelRefused({ kind: "credentials", status: 401, reason: "no key" })),
  "is silent": Effect.never
}

modelsContract("memory", {
  open: async (behaviour) => {
    let asked = 0
    return {
      layer: MemoryModels.layer(model, () => {
        asked++
        return behaviours[behaviour]
      }),
      asked: () => asked
    }
  }
})
