import { Effect } from "effect"
import * as MemoryPointerSignal from "@pawl/adapters-memory/MemoryPointerSignal"
import { pointerSignalContract } from "@pawl/testing/contracts/apps/PointerSignalContract"

const signal = MemoryPointerSignal.make()
pointerSignalContract("memory", {
  layer: signal.layer,
  heard: (label) =>
    Effect.suspend(() => (signal.take().includes(label) ? Effect.void : Effect.fail(`${label} was not heard`)))
})
