import type { Line, Material, Trust } from "@pawl/core/proof/Material"
import { verify } from "@pawl/core/proof/Proofs"
import { Effect, Option, Stream } from "effect"
import { describe, expect, it } from "vitest"

const trust: Trust = {
  keys: [],
  project: "proj_endless",
  origin: "pawl.example/log/proj_endless",
  logKey: null,
  origins: []
}

describe("A server that always has another page", () => {
  it("is asked for no more once there are more statements than are verified", async () => {
    let pages = 0
    const page: ReadonlyArray<Line> = Array.from({ length: 100 }, () => null)
    const material: Material = {
      statements: Stream.paginate(0, (at) => {
        pages++
        return Effect.succeed([[page], Option.some(at + 1)] as const)
      }),
      keys: Stream.empty,
      record: null,
      object: null,
      checkpoint: null,
      keysCheckpoint: null,
      seen: [],
      live: [],
      source: null,
      heads: null
    }
    const { findings } = await Effect.runPromise(verify(material, trust, { entries: 250 }))
    expect(pages).toBeLessThan(6)
    expect(findings.at(-1)).toMatchObject({ code: "pack_unreadable", words: "it has more than 250 statements" })
  })
})
