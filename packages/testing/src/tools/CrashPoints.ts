/**
 * The places where a process may die: before and after every call of a port that changes something. The list is not
 * written by hand: a run without a crash records every place it passes, and each is then a test of its own.
 */
import { Effect } from "effect"
import { type Around, type Call, nameOf } from "./PortWrap.ts"

/** To be put around ports, and the places that were passed there. */
export interface CrashPoints {
  readonly around: Around
  /** Places passed so far, in order, each once: `Ledger.commit(Promotions.swap):after`. */
  readonly passed: () => ReadonlyArray<string>
}

/** Calls `die` the first time the place `at` is passed. Without `at` it only records. `dies` says which calls count. */
export const make = (options: {
  readonly at?: string
  readonly die: () => void
  readonly counts: (call: Call) => boolean
  readonly onPass?: (place: string) => void
}): CrashPoints => {
  const passed = new Set<string>()
  const pass = (place: string) =>
    Effect.sync(() => {
      if (!passed.has(place)) {
        passed.add(place)
        options.onPass?.(place)
      }
      if (place === options.at) options.die()
    })
  return {
    around: (call, effect) => {
      if (!options.counts(call)) return effect
      const name = nameOf(call)
      return Effect.andThen(
        pass(`${name}:before`),
        Effect.tap(effect, () => pass(`${name}:after`))
      )
    },
    passed: () => [...passed]
  }
}
