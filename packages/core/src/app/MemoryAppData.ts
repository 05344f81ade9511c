/** App data and daily counters in memory. */
import { Effect } from "effect"
import type { MemoryState } from "../ledger/MemoryState.ts"
import { Limits } from "../primitives/Limits.ts"
import type { AppData, DataStoreRef } from "./AppData.ts"
import type { DailyCounter } from "./DailyCounter.ts"
import { byCodePoint, checkKey, checkListLimit, checkValue, tooManyKeys } from "./DataBounds.ts"

export const make = (state: MemoryState): AppData["Type"] => {
  const nameOf = (store: DataStoreRef) => `${store.project}\n${store.channel}`
  const valuesOf = (store: DataStoreRef) => state.appData.get(nameOf(store)) ?? new Map<string, string>()
  return {
    get: (store, key) => Effect.map(checkKey(key), () => valuesOf(store).get(key) ?? null),
    put: (store, key, value) =>
      Effect.zipRight(
        Effect.zipRight(checkKey(key), checkValue(value)),
        Effect.suspend(() => {
          const values = valuesOf(store)
          if (!values.has(key) && values.size >= Limits.appDataKeys) return Effect.fail(tooManyKeys)
          if (values.size === 0) state.appData.set(nameOf(store), new Map([[key, value]]))
          else values.set(key, value)
          return Effect.void
        })
      ),
    remove: (store, key) =>
      Effect.map(checkKey(key), () => {
        const values = valuesOf(store)
        values.delete(key)
        if (values.size === 0) state.appData.delete(nameOf(store))
      }),
    list: (store, { limit, prefix = "" }) =>
      Effect.zipWith(checkKey(prefix), checkListLimit(limit), (_, most) => {
        const names = Array.from(valuesOf(store).keys())
          .filter((name) => name.startsWith(prefix))
          .sort(byCodePoint)
        return { keys: names.slice(0, most).map((name) => ({ name })), complete: names.length <= most }
      }),
    wipe: (store) => Effect.sync(() => void state.appData.delete(nameOf(store)))
  }
}

export const makeDailyCounter = (state: MemoryState): DailyCounter["Type"] => ({
  used: (name, day) => Effect.sync(() => state.counters.get(`${day}\n${name}`)?.used ?? 0),
  take: (name, day, max) =>
    Effect.sync(() => {
      const key = `${day}\n${name}`
      const used = state.counters.get(key)?.used ?? 0
      if (used >= max) return false
      state.counters.set(key, { day, used: used + 1 })
      return true
    }),
  add: (name, day, amount) =>
    Effect.sync(() => {
      const key = `${day}\n${name}`
      state.counters.set(key, { day, used: (state.counters.get(key)?.used ?? 0) + amount })
    })
})
