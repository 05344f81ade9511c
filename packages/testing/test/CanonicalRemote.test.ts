import { canonicalRemoteContract } from "@pawl/testing/contracts/release/CanonicalRemoteContract"
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import { layerMemory, type MemoryRemote } from "@pawl/adapters-memory/MemoryCanonicalRemote"
import { RemoteRefused, RemoteUnavailable } from "@pawl/core/release/CanonicalRemote"
import { Effect, Layer } from "effect"

canonicalRemoteContract("memory", {
  play: (program) => {
    const state: MemoryRemote = { main: null, fault: null }
    const hands = {
      url: "https://git.test/shop.git",
      main: () => state.main,
      overwrite: () => (state.main = "f".repeat(40)),
      refuse: () => void (state.fault = new RemoteRefused({ reason: "no" })),
      leave: () => void (state.fault = new RemoteUnavailable({ reason: "away" }))
    }
    return Effect.runPromise(
      Effect.provide(program(hands), layerMemory(state).pipe(Layer.provideMerge(MemoryRepositories.layerMemory)))
    )
  }
})
