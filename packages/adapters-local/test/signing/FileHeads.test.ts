import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as FileHeads from "@pawl/adapters-local/signing/FileHeads"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { signedHeadsContract } from "@pawl/testing/contracts/provenance/SignedHeadsContract"

const folder = () => mkdtempSync(join(tmpdir(), "pawl-heads-"))
signedHeadsContract("file", { layer: () => FileHeads.layer({ data: folder() }) })

describe("the heads of a data folder", () => {
  const origin = "pawl.example/log/proj_00000000-0000-4000-8000-000000000001"

  it("outlive the process, readable by their owner alone", () => {
    const data = folder()
    const write = Effect.flatMap(SignedHeads, (heads) => heads.set(origin, { size: 7, root: "cm9vdA==" }))
    const read = Effect.flatMap(SignedHeads, (heads) => heads.get(origin))
    return Effect.runPromise(
      Effect.gen(function* () {
        yield* Effect.provide(write, FileHeads.layer({ data }))
        expect(yield* Effect.provide(read, FileHeads.layer({ data }))).toEqual({ size: 7, root: "cm9vdA==" })
        const names = readdirSync(join(data, "heads"))
        expect(names).toEqual(["proj_00000000-0000-4000-8000-000000000001.json"])
        expect(statSync(join(data, "heads", names[0]!)).mode & 0o777).toBe(0o600)
      })
    )
  })

  it("that somebody edited keep the signer away", () => {
    const data = folder()
    return Effect.runPromise(
      Effect.gen(function* () {
        const heads = yield* SignedHeads
        yield* heads.set(origin, { size: 7, root: "cm9vdA==" })
        writeFileSync(join(data, "heads", "proj_00000000-0000-4000-8000-000000000001.json"), "{}")
        expect((yield* Effect.flip(heads.get(origin))).reason).toBe(
          `what it remembers of ${origin} is not what it wrote`
        )
      }).pipe(Effect.provide(FileHeads.layer({ data })))
    )
  })
})
