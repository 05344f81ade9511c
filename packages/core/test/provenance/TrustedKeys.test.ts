/** Which keys count: from those that are pinned, by the statements that introduce the others. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import { endedProblem } from "@pawl/core/provenance/KeyRules"
import { keyidOf } from "@pawl/core/provenance/PublicKeys"
import { trustedKeys } from "@pawl/core/provenance/TrustedKeys"

interface Key {
  readonly keyid: string
  readonly spki: string
  readonly privateKey: KeyObject
}

const newKey = (): Key => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const spki = publicKey.export({ type: "spki", format: "der" })
  return { keyid: keyidOf(spki), spki: spki.toString("base64"), privateKey }
}

const introduced = (key: Key, by: Key | null, fields: object = {}) => {
  const { keyid, spki } = key
  const facts = { keyid, spki, algorithm: "ecdsa-p256-sha256", use: "statement", proof: "", ...fields }
  const payload = JSON.stringify({ predicateType: "urn:pawl:attestation:key:v1", predicate: facts })
  if (by === null) return { payload, signature: null }
  const sig = sign("sha256", preAuthentication(utf8(payload)), by.privateKey).toString("base64")
  return { payload, signature: { keyid: by.keyid, sig } }
}

const [first, second, third, thief] = [newKey(), newKey(), newKey(), newKey()]
const of = (entries: ReadonlyArray<ReturnType<typeof introduced>>, pinned = [first.keyid]) =>
  Effect.runPromise(Effect.map(trustedKeys(new Set(pinned), entries), ({ known }) => known))

describe("Keys count", () => {
  it("from the pinned one on, each introduced by one that counts", async () => {
    const heads = { proj_1: 7 }
    const known = await of([
      introduced(first, first),
      introduced(second, first, { retires: [{ keyid: first.keyid, heads }] }),
      introduced(third, second, { retires: [{ keyid: second.keyid, revoked: true, heads: { proj_1: 9 } }] })
    ])
    expect([...known.keys()]).toEqual([first, second, third].map(({ keyid }) => keyid))
    expect(known.get(first.keyid)?.ended).toEqual({ heads, revoked: false })
    expect(known.get(second.keyid)?.ended).toEqual({ heads: { proj_1: 9 }, revoked: true })
    expect(known.get(third.keyid)?.ended).toBeNull()
  })

  it("when they are pinned, before the signature of their own entry is there", async () => {
    expect([...(await of([introduced(first, null)])).keys()]).toEqual([first.keyid])
  })

  it("for nothing when somebody else has written them into the store", async () => {
    const known = await of([
      introduced(thief, thief),
      introduced(first, first),
      introduced(thief, null),
      introduced(thief, thief),
      { ...introduced(thief, thief), signature: introduced(second, first).signature },
      // Under the id of a key that counts, and with another key behind it.
      introduced({ ...thief, keyid: first.keyid }, thief)
    ])
    expect([...known]).toEqual([[first.keyid, expect.objectContaining({ spki: first.spki, ended: null })]])
    expect((await of([introduced(first, first)], [second.keyid])).size).toBe(0)
  })

  it.each([true, undefined])(
    "for nothing more when they ended, stolen or not: what they introduce does not count",
    async (revoked) => {
      const known = await of([
        introduced(first, first),
        introduced(second, first, { retires: [{ keyid: first.keyid, ...(revoked ? { revoked } : {}), heads: {} }] }),
        introduced(thief, first)
      ])
      expect(known.has(second.keyid)).toBe(true)
      expect(known.has(thief.keyid)).toBe(false)
    }
  )

  it("up to all the heads of a list that stands in several entries, of which no later one allows more", async () => {
    const retires = (heads: object) => ({ retires: [{ keyid: first.keyid, heads }] })
    const known = await of([
      introduced(first, first),
      introduced(second, first, retires({ proj_1: 7, proj_2: 8 })),
      introduced(second, second, retires({ proj_3: 9 })),
      introduced(second, second, retires({ proj_1: 70, proj_2: 5 }))
    ])
    const ends = [
      ["proj_1", 7],
      ["proj_2", 5],
      ["proj_3", 9],
      ["proj_4", 0],
      ["__proto__", 0]
    ] as const
    for (const [chain, end] of ends) {
      const problem = (entry: number) => endedProblem(known.get(first.keyid)!, chain, entry)
      expect([problem(end - 1), problem(end)]).toEqual([null, "key_retired"])
    }
  })
})
