/** Faults of a port, by the number of the call: it fails before doing anything, or does it and loses the answer. */
import { Effect } from "effect"
import type { Around, Call } from "./PortWrap.ts"

/** It fails and does nothing, does it and fails, or does it twice and answers the second time. */
export type Fault = "fail-before" | "commit-then-fail" | "twice"

/** Puts one fault on the `nth` (from 0) counted call. `failure` makes the error that the port would answer. */
export const inject = (options: {
  readonly fault: Fault
  readonly nth: number
  readonly counts: (call: Call) => boolean
  readonly failure: () => unknown
}): { readonly around: Around; readonly calls: () => number } => {
  let calls = 0
  const around: Around = (call, effect) =>
    Effect.suspend(() => {
      if (!options.counts(call)) return effect
      const hit = calls++ === options.nth
      if (!hit) return effect
      const fail = Effect.suspend(() => Effect.fail(options.failure())) as unknown as typeof effect
      switch (options.fault) {
        case "fail-before":
          return fail
        case "commit-then-fail":
          return Effect.andThen(effect, fail)
        case "twice":
          return Effect.andThen(effect, effect)
      }
    })
  return { around, calls: () => calls }
}
