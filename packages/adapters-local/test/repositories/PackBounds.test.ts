import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { deflateSync } from "node:zlib"
import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { projectId, scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { gitObject, pack } from "../../src/repositories/GitObjects.ts"
import { measurePack } from "../../src/repositories/transport/PackBounds.ts"
import { repositoryFixture } from "./RepositoryFixture.ts"

const fixture = repositoryFixture()

const measured = (bytes: Uint8Array) =>
  Effect.runPromise(Effect.catchTag(measurePack(bytes), "PackRefused", ({ reason }) => Effect.succeed(reason)))

/** A number in git's little-endian base 128. */
const varint = (value: number): Buffer => {
  const bytes: Array<number> = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0))
    if (rest < 128) return Buffer.from(bytes)
  }
}

const entry = (type: number, size: number, body: Uint8Array, base: Uint8Array = new Uint8Array()): Buffer => {
  const first = Buffer.from([(type << 4) | (size & 15) | (size >= 16 ? 128 : 0)])
  return Buffer.concat([first, ...(size >= 16 ? [varint(Math.floor(size / 16))] : []), base, deflateSync(body)])
}

const packOf = (entries: ReadonlyArray<Buffer>, count = entries.length): Buffer => {
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1")
  header.writeUInt32BE(count, 8)
  const body = Buffer.concat([header, ...entries])
  return Buffer.concat([body, createHash("sha1").update(body).digest()])
}

const deltaTo = (size: number): Buffer => {
  const delta = Buffer.concat([varint(1), varint(size), Buffer.from([0x90, 1])])
  return entry(7, delta.length, delta, Buffer.alloc(20))
}

describe("PackBounds", () => {
  it("measures what git packs, deltas too, as git lists it", async () => {
    const { gitDir, run } = fixture()
    const text = (changed: number) =>
      Array.from({ length: 400 }, (_, at) => `line ${at === changed ? "x" : at}\n`).join("")
    const bytes = await run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories, projectId(1), { "a.txt": text(-1) })
        const made = yield* edit(ws(1), s0.commit, { "a.txt": text(7), "b.txt": text(8), "c.bin": { base64: "AAEC" } })
        const args = [
          `--git-dir=${gitDir(ws(1))}`,
          "pack-objects",
          "--revs",
          "--stdout",
          "--thin",
          "--delta-base-offset",
          "-q"
        ]
        return execFileSync("git", args, { input: `${made.commit}\n^${s0.commit}\n` })
      })
    )
    expect(bytes.readUInt32BE(8)).toBe(5)
    expect(await measured(bytes)).toMatchObject({ objects: 5 })
    expect(await measured(packOf([]))).toEqual({ objects: 0, unpackedBytes: 0 })
  })

  it.each([
    [
      "an object that is small on the way and large when it is there",
      () => packOf([entry(3, Limits.sourceFileBytes + 1, Buffer.alloc(Limits.sourceFileBytes + 1))]),
      "an object has too many bytes"
    ],
    [
      "a delta of a few bytes that makes gigabytes",
      () => packOf([deltaTo(4 * 1024 ** 3)]),
      "an object has too many bytes"
    ],
    [
      "many deltas that are each within bounds and together are not",
      () => packOf(Array.from({ length: 7 }, () => deltaTo(Limits.sourceFileBytes))),
      "it unpacks to too many bytes"
    ],
    ["a count of objects that nobody has", () => packOf([], 0xffffffff), "too many objects"],
    [
      "an object that unpacks to more than it says",
      () => packOf([entry(3, 10, Buffer.alloc(1024 * 1024))]),
      "does not unpack to the size"
    ],
    [
      "an object that unpacks to less than it says",
      () => packOf([entry(3, 1024, Buffer.alloc(10))]),
      "does not unpack to the size"
    ],
    ["a type that there is not", () => packOf([entry(5, 1, Buffer.alloc(1))]), "an object of the type 5"],
    ["fewer objects than it says", () => packOf([entry(3, 1, Buffer.alloc(1))], 2), "damaged"],
    [
      "more than its objects",
      () => packOf([entry(3, 1, Buffer.alloc(1)), entry(3, 1, Buffer.alloc(1))], 1),
      "more in it"
    ],
    ["nothing", () => Buffer.alloc(0), "does not begin"],
    ["another format", () => Buffer.from("# v2 git bundle\n".repeat(4)), "does not begin"],
    ["a size without an end", () => packOf([Buffer.alloc(64, 0xff)]), "damaged"]
  ])("refuses %s", async (_title, make, words) => {
    expect(await measured(make())).toContain(words)
  })

  it("answers every mutation of a pack with a measure within bounds or with a reason", async () => {
    const blob = gitObject("blob", Buffer.from("some text\n".repeat(20)))
    const whole = await pack([blob, gitObject("blob", Buffer.from("x"))])
    const mutation = FastCheck.tuple(FastCheck.nat(whole.length - 1), FastCheck.integer({ min: 0, max: 255 }))
    await FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(mutation, { minLength: 1, maxLength: 6 }),
        FastCheck.nat(whole.length),
        async (mutations, length) => {
          const bytes = Buffer.from(whole)
          for (const [at, value] of mutations) bytes[at] = value
          const found = await measured(bytes.subarray(0, length % 3 === 0 ? length : whole.length))
          if (typeof found === "string") return
          expect(found.objects).toBeLessThanOrEqual(LocalLimits.gitPushObjects)
          expect(found.unpackedBytes).toBeLessThanOrEqual(LocalLimits.gitPushUnpackedBytes)
        }
      ),
      { numRuns: 2_000, seed: 1 }
    )
  })
})
