import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import fc from "fast-check"
import * as Draft from "@pawl/core/ledger/Draft"
import { system } from "@pawl/core/model/Actor"
import { extended, rootOf } from "@pawl/core/provenance/Edge"
import { envelopeOf, preAuthentication } from "@pawl/core/provenance/Envelope"
import type { InTotoStatement } from "@pawl/core/provenance/Predicates"
import { recordDigest, recordText } from "@pawl/core/provenance/RecordDigest"
import { append, emptyChain, type Fact, following } from "@pawl/core/provenance/Statements"
import { utf8 } from "@pawl/core/primitives/Digest"

const projectId = "proj_00000000-0000-4000-8000-000000000001" as const
const noon = "2026-01-01T12:00:00.000Z"
const earlier = "2026-01-01T11:00:00.000Z"

const policyFact = (version: number): Fact<"policy"> => ({
  kind: "policy",
  generation: null,
  subject: [{ name: `${projectId}/policy/${version}`, digest: { sha256: "0".repeat(64) } }],
  facts: { version, by: "system:default" }
})

const read = (payload: string): InTotoStatement<"policy"> => JSON.parse(payload) as InTotoStatement<"policy">

/** RFC 6962, section 2.1, as it is written there. */
const plainRoot = (leaves: ReadonlyArray<Uint8Array>): Buffer => {
  const hash = (...parts: ReadonlyArray<Uint8Array>) => createHash("sha256").update(Buffer.concat(parts)).digest()
  if (leaves.length === 0) return hash()
  if (leaves.length === 1) return hash(Uint8Array.of(0), leaves[0]!)
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  return hash(Uint8Array.of(1), plainRoot(leaves.slice(0, half)), plainRoot(leaves.slice(half)))
}

describe("a chain of statements", () => {
  it("has dense entries, each bound to the payload before it, and no entry is before the one before it", () => {
    const first = following(emptyChain(projectId, noon), policyFact(1), noon)
    const second = following(first.chain, policyFact(2), earlier)
    expect(read(first.statement.payload).predicate).toMatchObject({ entry: 0, previous: null, epoch: 1, at: noon })
    expect(read(second.statement.payload).predicate).toMatchObject({
      entry: 1,
      previous: { sha256: createHash("sha256").update(first.statement.payload).digest("hex") },
      at: noon
    })
    expect(second.chain).toMatchObject({ size: 2, digest: second.statement.digest })
  })

  it("is appended with the commit of the draft: the statements in order, and its end once for each", () => {
    const chain = { record: emptyChain(projectId, noon), revision: 1 }
    const draft = Draft.begin(projectId, system("test"), noon)
    const made = append(draft, chain, policyFact(1), policyFact(2))
    expect(made.map(({ entry }) => entry)).toEqual([0, 1])
    expect(draft.writes.map(({ _tag, kind }) => `${_tag} ${kind}`)).toEqual([
      "Insert statement",
      "Insert statement",
      "Update chain"
    ])
    expect(Draft.newest(draft, "chain", chain).record.size).toBe(2)
    append(draft, chain, policyFact(3))
    expect(Draft.newest(draft, "chain", chain).record.size).toBe(3)
  })

  it("appends nothing and leaves the chain alone for no facts", () => {
    const draft = Draft.begin(projectId, system("test"), noon)
    expect(append(draft, { record: emptyChain(projectId, noon), revision: 1 })).toEqual([])
    expect(draft.writes).toEqual([])
  })

  it("has a root at every size as RFC 6962 computes it from all leaves", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 70 }), (leaves) => {
        let edge: ReadonlyArray<string> = []
        for (const [size, leaf] of leaves.entries()) edge = extended(edge, size, leaf)
        expect(Buffer.from(rootOf(edge)).toString("hex")).toBe(plainRoot(leaves).toString("hex"))
      })
    )
  })
})

describe("an envelope", () => {
  it("signs what DSSE's protocol page gives as its example", () => {
    expect(new TextDecoder().decode(preAuthentication(utf8("hello world"), "http://example.com/HelloWorld"))).toBe(
      "DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
  })

  it("holds the payload's very bytes, and no signature while there is none", () => {
    const { statement } = following(emptyChain(projectId, noon), policyFact(1), noon)
    const { payload, signatures } = envelopeOf(statement)
    expect(Buffer.from(payload, "base64").toString()).toBe(statement.payload)
    expect(signatures).toEqual([])
  })
})

describe("the digest of a record", () => {
  it("is that of its canonical JSON as it is stored, under its stored names", () => {
    const head = {
      tree: "b".repeat(40),
      projectId,
      generation: 3,
      commit: "a".repeat(40),
      syncedGeneration: 2
    }
    const text = `{"commit":"${head.commit}","generation":3,"projectId":"${projectId}","syncedGeneration":2,"tree":"${head.tree}"}`
    expect(recordText("head", head)).toBe(text)
    expect(recordDigest("head", head)).toBe(createHash("sha256").update(text).digest("hex"))
  })
})
