import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { appRuntimeContract } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect, Layer } from "effect"
import { install, memoryObjects, runtimeLayer } from "./RuntimeWorld.ts"

appRuntimeContract("WorkerdAppRuntime", async () => {
  const store = await Effect.runPromise(Effect.provide(ObjectStore, memoryObjects()))
  const objects = Layer.succeed(ObjectStore, store)
  return {
    layer: runtimeLayer(objects),
    install: (app, id) => Effect.runPromise(Effect.provide(install({ main: app.source }, id), objects))
  }
})
