import type { Pointer } from "@pawl/core/model/Pointer"
import { layerMemory } from "@pawl/adapters-memory/MemoryPointerSource"
import { PointerSource } from "@pawl/core/app/PointerSource"
import { pointerSourceContract } from "@pawl/testing/contracts/apps/PointerSourceContract"
import { Context, Effect, Layer } from "effect"

pointerSourceContract("a list", {
  world: Effect.suspend(() => {
    const rows: { list: ReadonlyArray<Pointer> } = { list: [] }
    const removed = (label: string) =>
      rows.list.some((row) => row.label === label && row.channel === "production" && row.status === "removed")
    return Effect.map(Layer.build(layerMemory(rows, { has: removed })), (services) => ({
      source: Context.get(services, PointerSource),
      put: (pointer) =>
        Effect.sync(() => {
          const others = rows.list.filter((row) => row.label !== pointer.label || row.channel !== pointer.channel)
          rows.list = [...others, pointer]
        })
    }))
  })
})
