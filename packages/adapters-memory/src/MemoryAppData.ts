/** App data and daily counters in memory. */
import { Effect } from "effect"
import { pointerKey } from "@pawl/core/model/Entities"
import { type MemoryState, rowsOf } from "./MemoryState.ts"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import type { AppData, DataStoreRef } from "@pawl/core/app/AppData"
import type { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { checkKey, checkListLimit, checkValue, isOpenTo, storeGone, tooManyKeys } from "@pawl/core/app/DataBounds"
import type { Pointer } from "@pawl/core/model/Pointer"

/** Whether the store may be written: its pointer row, and the app, are still those that the writer was started for. */
const isOpen = (state: MemoryState, { project, channel, incarnation }: DataStoreRef): boolean => {
  if (incarnation === undefined) return true
  const rowOf = (wanted: string) =>
    rowsOf(state, "pointer").get(pointerKey(project, wanted))?.record as Pointer | undefined
  return isOpenTo(incarnation, rowOf(channel), rowOf("production"))
}

/** `AppData` over a store in memory, within the bounds of every store. It never is unavailable. */
export const make = (state: MemoryState): AppData["Service"] => {
  const nameOf = (store: DataStoreRef) => `${store.project}\n${store.channel}`
  const valuesOf = (store: DataStoreRef) => state.appData.get(nameOf(store)) ?? new Map<string, string>()
  return {
    get: (store, key) => Effect.map(checkKey(key), () => valuesOf(store).get(key) ?? null),
    put: (store, key, value) =>
      Effect.andThen(
        Effect.andThen(checkKey(key), checkValue(value)),
        Effect.suspend(() => {
          if (!isOpen(state, store)) return Effect.fail(storeGone)
          const values = valuesOf(store)
          if (!values.has(key) && values.size >= Limits.appDataKeys) return Effect.fail(tooManyKeys)
          if (values.size === 0) state.appData.set(nameOf(store), new Map([[key, value]]))
          else values.set(key, value)
          return Effect.void
        })
      ),
    remove: (store, key) =>
      Effect.flatMap(checkKey(key), () => {
        if (!isOpen(state, store)) return Effect.fail(storeGone)
        const values = valuesOf(store)
        values.delete(key)
        if (values.size === 0) state.appData.delete(nameOf(store))
        return Effect.void
      }),
    list: (store, { limit, prefix = "" }) =>
      Effect.zipWith(checkKey(prefix), checkListLimit(limit), (_, most) => {
        const names = Array.from(valuesOf(store).keys())
          .filter((name) => name.startsWith(prefix))
          .sort(compareCodePoints)
        return { keys: names.slice(0, most).map((name) => ({ name })), complete: names.length <= most }
      }),
    wipe: (store) => Effect.sync(() => void state.appData.delete(nameOf(store)))
  }
}

const countUp = (state: MemoryState, name: string, day: string, amount: number): void => {
  const key = `${day}\n${name}`
  state.counters.set(key, { day, used: (state.counters.get(key)?.used ?? 0) + amount })
}

/** `DailyCounter` over a store in memory. */
export const makeDailyCounter = (state: MemoryState): DailyCounter["Service"] => ({
  used: (name, day) => Effect.sync(() => state.counters.get(`${day}\n${name}`)?.used ?? 0),
  usedBy: (prefix, day) =>
    Effect.sync(() => {
      const begin = `${day}\n${prefix}`
      const found = Array.from(state.counters).filter(([key]) => key.startsWith(begin))
      return new Map(found.map(([key, { used }]) => [key.slice(day.length + 1), used]))
    }),
  take: (name, day, max, also = []) =>
    Effect.sync(() => {
      if ((state.counters.get(`${day}\n${name}`)?.used ?? 0) >= max) return false
      for (const each of [name, ...also]) countUp(state, each, day, 1)
      return true
    }),
  add: (name, day, amount, also = []) =>
    Effect.sync(() => {
      for (const each of [name, ...also]) countUp(state, each, day, amount)
    })
})
