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

/**
 * Calls `die` the first time the place `at` is passed. Without `at` it only records. `counts` says which calls are places.
 * `numbered`: each pass is a place of its own, its number before its name (`17 Ledger.commit(Promotions.swap):after`), and
 * `at` is that number. So a run that goes another way each time still dies at its 17th.
 */
export const make = (options: {
  readonly at?: string
  readonly numbered?: boolean
  readonly die: () => void
  readonly counts: (call: Call) => boolean
  readonly onPass?: (place: string) => void
}): CrashPoints => {
  const passed = new Set<string>()
  const pass = (call: string) =>
    Effect.sync(() => {
      const number = String(passed.size + 1)
      const place = options.numbered === true ? `${number} ${call}` : call
      if (!passed.has(place)) {
        passed.add(place)
        options.onPass?.(place)
      }
      if (options.at === (options.numbered === true ? number : place)) options.die()
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
