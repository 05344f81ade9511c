/** What every SignedHeads promises: the last head of each log, apart from those of others. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import type { SignerUnavailable } from "@pawl/core/provenance/Signer"

const project = "proj_00000000-0000-4000-8000-000000000001"
const other = "proj_00000000-0000-4000-8000-000000000002"

/** Declares the suite; `name` names the adapter in its title. Each test gets the layer anew. */
export const signedHeadsContract = (
  name: string,
  fixture: { readonly layer: () => Layer.Layer<SignedHeads> }
): void => {
  const run = (body: (heads: SignedHeads["Service"]) => Effect.Effect<void, SignerUnavailable>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(SignedHeads, body), fixture.layer()))

  describe(`${name}: SignedHeads`, () => {
    it("knows no head of a log that it was never told of", () =>
      run((heads) =>
        Effect.gen(function* () {
          expect(yield* heads.get(`localhost/log/${project}`)).toBeNull()
        })
      ))

    it("answers what was set last, of each origin and each epoch apart", () =>
      run((heads) =>
        Effect.gen(function* () {
          const origins = [
            `localhost/log/${project}`,
            `localhost/log/${project}/2`,
            `localhost/log/${other}`,
            `localhost/log/${project}/12`
          ]
          for (const [size, origin] of origins.entries()) yield* heads.set(origin, { size, root: `${origin}=` })
          yield* heads.set(origins[0]!, { size: 100, root: "newer" })
          expect(yield* heads.get(origins[0]!)).toEqual({ size: 100, root: "newer" })
          for (const [size, origin] of origins.entries())
            if (size > 0) expect(yield* heads.get(origin)).toEqual({ size, root: `${origin}=` })
        })
      ))
  })
}
