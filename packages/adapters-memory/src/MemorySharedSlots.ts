/** `SharedSlots` in memory. */
import { Effect } from "effect"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { MemoryState } from "./MemoryState.ts"
import type { HeldSlot, SharedSlots } from "@pawl/core/ledger/SharedSlots"

const keyOf = (scope: string, place: number): string => `${place}\n${scope}`

/** `SharedSlots` over a store in memory, by the program's clock. */
export const make = (state: MemoryState): SharedSlots["Service"] => {
  const isHeld = ({ holder, place, scope }: HeldSlot, now: number): boolean => {
    const row = state.slots.get(keyOf(scope, place))
    return row !== undefined && row.holder === holder && row.until > now
  }
  return {
    take: ({ leaseMs, max, scope }) =>
      Effect.zipWith(makeUlid, nowMillis, (holder, now) => {
        for (const [key, { until }] of state.slots) if (until <= now) state.slots.delete(key)
        for (let place = 0; place < max; place++) {
          if (state.slots.has(keyOf(scope, place))) continue
          state.slots.set(keyOf(scope, place), { holder, until: now + leaseMs })
          return { scope, place, holder }
        }
        return null
      }),
    renew: (slot, leaseMs) =>
      Effect.map(nowMillis, (now) => {
        if (!isHeld(slot, now)) return false
        state.slots.set(keyOf(slot.scope, slot.place), { holder: slot.holder, until: now + leaseMs })
        return true
      }),
    isHeld: (scope) =>
      Effect.map(nowMillis, (now) =>
        [...state.slots].some(([key, { until }]) => until > now && key.slice(key.indexOf("\n") + 1) === scope)
      ),
    giveBack: (slot) =>
      Effect.map(nowMillis, (now) => {
        if (isHeld(slot, now)) state.slots.delete(keyOf(slot.scope, slot.place))
      }),
    giveAllBack: Effect.sync(() => state.slots.clear())
  }
}
