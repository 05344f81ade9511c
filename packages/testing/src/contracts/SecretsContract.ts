/** What every source of Secrets promises, as far as a test can tell: as many bytes as asked, and never the same again. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Secrets } from "@pawl/core/access/Secrets"
import { Limits } from "@pawl/core/primitives/Limits"

/** Declares the suite; `name` names the adapter in its title. */
export const secretsContract = (name: string, fixture: { readonly layer: Layer.Layer<Secrets> }): void => {
  const bytes = (count: number) => Effect.flatMap(Secrets, (secrets) => secrets.bytes(count))
  const run = (body: Effect.Effect<void, never, Secrets>) => Effect.runPromise(Effect.provide(body, fixture.layer))

  describe(`${name}: Secrets`, () => {
    it("answers as many bytes as asked for", () =>
      run(
        Effect.gen(function* () {
          for (const count of [0, 1, Limits.tokenBytes, 4096]) {
            const drawn = yield* bytes(count)
            expect(drawn).toBeInstanceOf(Uint8Array)
            expect(drawn.length).toBe(count)
          }
        })
      ))

    it("never answers the same token twice, whoever draws at the same moment", () =>
      run(
        Effect.gen(function* () {
          const draws = yield* Effect.all(
            Array.from({ length: 1000 }, () => Effect.andThen(Effect.yieldNow, bytes(Limits.tokenBytes))),
            { concurrency: "unbounded" }
          )
          expect(new Set(draws.map((drawn) => drawn.join())).size).toBe(1000)
        })
      ))

    it("gives each caller bytes of its own", () =>
      run(
        Effect.gen(function* () {
          const first = yield* bytes(Limits.tokenBytes)
          const kept = first.slice()
          const second = yield* bytes(Limits.tokenBytes)
          second.fill(0)
          expect(first).toEqual(kept)
        })
      ))

    it("draws every value of a byte, none far more often than the others", () =>
      run(
        Effect.gen(function* () {
          const seen = new Array<number>(256).fill(0)
          for (const byte of yield* bytes(65_536)) seen[byte]!++
          // Each is expected 256 times with a deviation of 16: ten deviations off is no accident.
          expect(Math.min(...seen)).toBeGreaterThan(96)
          expect(Math.max(...seen)).toBeLessThan(416)
        })
      ))
  })
}
