import { Effect } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { candidateIdOf, type Composition } from "@pawl/core/candidate/Composition"

const objectId = fc.stringMatching(/^[0-9a-f]{40}$/)
const composition: fc.Arbitrary<Composition> = fc.record({
  project: fc.uuid({ version: 4 }).map((uuid) => `proj_${uuid}`),
  base: fc.record({ generation: fc.nat(), tree: objectId }),
  changeSets: fc.array(fc.stringMatching(/^cs_run_[a-z0-9_]{1,20}$/), { minLength: 1, maxLength: 6 }),
  attempt: fc.constant(1)
})
const idOf = (value: Composition) => Effect.runPromise(candidateIdOf(value))

describe("A composition id", () => {
  it("is the first 24 hex characters of the SHA-256 over the canonical JSON, as anyone can compute it", () =>
    fc.assert(
      fc.asyncProperty(composition, async ({ project, base, changeSets }) => {
        const text = `{"base":{"generation":${base.generation},"tree":"${base.tree}"},"changeSets":${JSON.stringify(changeSets)},"project":"${project}"}`
        const digest = createHash("sha256").update(text).digest("hex")
        expect(await idOf({ project, base, changeSets, attempt: 1 })).toBe(`cand_${digest.slice(0, 24)}`)
      })
    ))

  it("differs when any part differs: project, generation, tree, the ChangeSets or their order, the attempt", () =>
    fc.assert(
      fc.asyncProperty(composition, async (one) => {
        const id = await idOf(one)
        const others: ReadonlyArray<Composition> = [
          { ...one, project: `${one.project}x` },
          { ...one, base: { ...one.base, generation: one.base.generation + 1 } },
          { ...one, base: { ...one.base, tree: one.base.tree.replace(/^./, (c) => (c === "0" ? "1" : "0")) } },
          { ...one, changeSets: [...one.changeSets, "cs_run_other"] },
          { ...one, attempt: 2 }
        ]
        for (const other of others) expect(await idOf(other)).not.toBe(id)
        const turned = one.changeSets.toReversed()
        if (turned.join() !== one.changeSets.join()) expect(await idOf({ ...one, changeSets: turned })).not.toBe(id)
      })
    ))
})
