/** `Fleet` in memory. */
import { Effect } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis, nowMillis, toMillis } from "@pawl/core/primitives/Time"
import type { Fleet } from "@pawl/core/work/Fleet"
import type { MemoryState } from "./MemoryState.ts"

/** `Fleet` over a store in memory, by the program's clock. */
export const make = (state: MemoryState): Fleet["Service"] => ({
  note: (process) =>
    Effect.map(nowMillis, (now) => {
      const startedAt = state.processes.get(process.id)?.startedAt ?? process.startedAt
      state.processes.set(process.id, { ...process, startedAt, seenAt: fromMillis(now) })
      for (const [id, { seenAt }] of state.processes)
        if (toMillis(seenAt) < now - Limits.processForgottenMs) state.processes.delete(id)
    }),
  leave: (id) => Effect.sync(() => void state.processes.delete(id)),
  leaveAll: Effect.sync(() => state.processes.clear()),
  all: Effect.sync(() =>
    Array.from(state.processes.values()).toSorted(
      (one, other) => toMillis(one.startedAt) - toMillis(other.startedAt) || (one.id < other.id ? -1 : 1)
    )
  ),
  // A store in memory has the shape of the program that holds it.
  contract: Effect.succeed({ done: [], waiting: [], older: [] })
})
