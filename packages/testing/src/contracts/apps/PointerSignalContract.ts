/** What every PointerSignal promises: who listens hears of each label that moved, and nobody waits for who does not. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PointerSignal } from "@pawl/core/app/PointerSignal"

/** How an adapter's test makes a signal and a listener for this contract. */
export interface PointerSignalFixture<R> {
  readonly layer: Layer.Layer<R, unknown>
  /** Ends when a listener has heard that the label moved. */
  readonly heard: (label: string) => Effect.Effect<void, unknown, R>
}

/** Declares the suite; `name` names the adapter in its title. */
export const pointerSignalContract = <R>(name: string, fixture: PointerSignalFixture<R>): void => {
  describe(`${name}: PointerSignal`, () => {
    it("tells of each label that moved, however often it moves", async () => {
      const told = Effect.flatMap(PointerSignal, ({ moved }) =>
        Effect.gen(function* () {
          for (const label of ["shop", "notes", "shop"]) {
            yield* moved(label)
            yield* fixture.heard(label)
          }
          return "heard"
        })
      )
      expect(await Effect.runPromise(Effect.provide(told, fixture.layer))).toBe("heard")
    })
  })
}
