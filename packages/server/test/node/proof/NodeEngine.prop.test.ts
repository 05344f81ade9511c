import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import * as FastCheck from "fast-check"
import { pureEngine } from "@pawl/core/proof/Engine"
import { type PublicKey, publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import { holdsAtOnce, nodeEngine as made } from "@pawl/server/node/proof/NodeEngine"
import { Effect, Exit, Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"

const scope = Effect.runSync(Scope.make())
const nodeEngine = Effect.runSync(Scope.provide(made, scope))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const bytes = FastCheck.uint8Array({ maxLength: 200 })

const publicOf = (key: KeyObject): PublicKey => publicKeyOf(key.export({ format: "der", type: "spki" }))!

const pairs = {
  ed25519: { ...generateKeyPairSync("ed25519"), digest: null },
  "ecdsa-p256-sha256": { ...generateKeyPairSync("ec", { namedCurve: "P-256" }), digest: "sha256" }
} as const
const algorithms = ["ed25519", "ecdsa-p256-sha256"] as const

/** What all of them say, which must be the same. */
const saying = async (...[key, message, signature]: Parameters<typeof holdsAtOnce>): Promise<boolean> => {
  const said = await Promise.all(
    [pureEngine.holds, nodeEngine.holds, holdsAtOnce].map((holds) => holds(key, message, signature))
  )
  expect(new Set(said).size).toBe(1)
  return said[0]!
}

describe("what Node computes for the verifier", () => {
  it("is what JavaScript and Web Crypto compute: digests, what is signed, and base64 in its one form alone", () => {
    const text = FastCheck.oneof(
      FastCheck.base64String(),
      FastCheck.string(),
      FastCheck.tuple(
        FastCheck.base64String(),
        FastCheck.nat(40),
        FastCheck.constantFrom("=", "-", "_", "\n", " ", "B", "é")
      ).map(([whole, at, other]) => whole.slice(0, at) + other + whole.slice(at + 1))
    )
    FastCheck.assert(
      FastCheck.property(text, bytes, (each, content) => {
        const [plain, ours] = [pureEngine.base64(each), nodeEngine.base64(each)]
        expect(ours && [...ours]).toEqual(plain && [...plain])
        expect([...nodeEngine.signedOf(content)]).toEqual([...pureEngine.signedOf(content)])
        expect([...nodeEngine.hash(content)]).toEqual([...pureEngine.hash(content)])
        for (const data of [each, content]) expect(nodeEngine.hex(data)).toBe(pureEngine.hex(data))
      }),
      { numRuns: 1000 }
    )
  })

  it.each(algorithms)(
    "knows the same signatures of %s, and no other: spoilt, of others, in another form",
    async (algorithm) => {
      const { digest, privateKey, publicKey } = pairs[algorithm]
      const key = publicOf(publicKey)
      const other = algorithms.find((each) => each !== algorithm)!
      await FastCheck.assert(
        FastCheck.asyncProperty(bytes, bytes, FastCheck.nat(), async (message, another, at) => {
          const signature = new Uint8Array(sign(digest, message, privateKey))
          const spoilt = signature.with(at % signature.length, signature[at % signature.length]! ^ (1 + (at % 255)))
          expect(await saying(key, message, signature)).toBe(true)
          expect(await saying(key, message, spoilt)).toBe(false)
          expect(await saying(key, Uint8Array.of(...message, 0), signature)).toBe(false)
          expect(await saying(key, message, another)).toBe(false)
          expect(await saying(key, message, Uint8Array.of(...signature, 0))).toBe(false)
          expect(await saying({ ...key, algorithm: other }, message, signature)).toBe(false)
        }),
        { numRuns: 50 }
      )
    }
  )

  it("is told of each of a thousand whether it holds, those too that no thread has answered when the engine ends", async () => {
    const one = Effect.runSync(Scope.make())
    const engine = Effect.runSync(Scope.provide(made, one))
    const signed = algorithms.flatMap((algorithm) =>
      Array.from({ length: 500 }, (_, n) => {
        const message = Buffer.from(`message ${n}`)
        const { digest, privateKey, publicKey } = pairs[algorithm]
        return {
          key: publicOf(publicKey),
          message,
          signature: sign(digest, n % 7 === 0 ? Buffer.from("another") : message, privateKey),
          n
        }
      })
    )
    const ask = () => signed.map(({ key, message, signature }) => engine.holds(key, message, signature))
    const expected = signed.map(({ n }) => n % 7 !== 0)
    expect(await Promise.all(ask())).toEqual(expected)
    const asked = ask()
    await Effect.runPromise(Scope.close(one, Exit.void))
    expect(await Promise.all(asked)).toEqual(expected)
    expect(await Promise.all(ask())).toEqual(expected)
  })

  it("knows no key that is none: not its bytes, and no point of the curve", async () => {
    const { privateKey, publicKey } = pairs["ecdsa-p256-sha256"]
    const spki = Buffer.from(publicOf(publicKey).spki, "base64")
    const message = Buffer.from("message")
    const signature = sign("sha256", message, privateKey)
    const off = Buffer.from(spki).fill(7, 30)
    for (const bad of [off.toString("base64"), spki.subarray(1).toString("base64"), "", "~"])
      expect(await saying({ algorithm: "ecdsa-p256-sha256", spki: bad }, message, signature)).toBe(false)
  })
})
