import { Effect, Layer, ManagedRuntime } from "effect"
import * as MemoryModels from "@pawl/adapters-memory/MemoryModels"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import * as ModelPlanner from "@pawl/core/change/ModelPlanner"
import { plannerContract } from "@pawl/testing/contracts/agents/PlannerContract"
import { call, newSource, says } from "../kit/AgentWorld.ts"
import { layer } from "../kit/MemoryPawl.ts"

const services = Layer.mergeAll(layer, MemorySecrets.layerMemory)
const runtime = ManagedRuntime.make(services)
const source = runtime.runPromise(newSource({ "src/index.js": "export const one = 1\n", "result.txt": "fine\n" }))
source.catch(() => undefined)

const model = { name: "m", contextTokens: 1, prices: { input: 0, cached: 0, output: 0 } }
const models = MemoryModels.layer(model, () => Effect.die(new Error("turns ask it")))
const planner = ModelPlanner.layer({ othersOf: () => Effect.succeed([]), packages: [] })

plannerContract("with a model", {
  layer: () =>
    Layer.unwrap(
      Effect.map(runtime.contextEffect, (context) =>
        planner.pipe(Layer.provide(models), Layer.provide(Layer.succeedContext(context)))
      )
    ),
  base: async () => {
    const { commit, projectId, tree } = await source
    return { repository: { project: projectId }, generation: 0, commit, tree }
  },
  turn: (tasks) => () => Effect.succeed(says(call("propose_plan", { tasks })))
})
