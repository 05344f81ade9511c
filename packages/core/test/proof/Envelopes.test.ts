/** Envelopes are read the same however they are written, and only where they can be read in one way. */
import { describe, expect, it } from "vitest"
import { opened } from "../../src/proof/Envelopes.ts"
import { pureEngine } from "../../src/proof/Engine.ts"
import { envelopeOf } from "../../src/provenance/Envelope.ts"
import { emptyChain, following } from "../../src/provenance/Statements.ts"

const now = "2026-01-01T00:00:00.000Z"
const project = "proj_00000000-0000-4000-8000-000000000001"
const { payload } = following(
  emptyChain(project, now),
  {
    kind: "policy",
    generation: null,
    subject: [{ name: `${project}/policy/1`, digest: { sha256: "a".repeat(64) } }],
    facts: { version: 1, by: "usr_00000000-0000-4000-8000-000000000001" }
  },
  now
).statement
const signature = { keyid: `SHA256:${"A".repeat(43)}`, sig: "AAAA" }
const envelope = envelopeOf({ payload, signature })
const plain = JSON.stringify(envelope)
const read = (line: string) => opened(line, pureEngine)
const faultsOf = (line: string) => read(line).faults.map(({ code }) => code)

describe("An envelope", () => {
  it("is read the same in any order of its fields, with white space, and with characters that stand for others", () => {
    const { payload: text, payloadType, signatures } = envelope
    expect(read(plain)).toMatchObject({
      faults: [],
      signature: { keyid: signature.keyid },
      statement: { kind: "policy" }
    })
    expect(read(JSON.stringify({ signatures, payloadType, payload: text }))).toEqual(read(plain))
    expect(read(JSON.stringify(envelope, null, 1))).toEqual(read(plain))
    expect(read(plain.replace("SHA256", "\\u0053HA256"))).toEqual(read(plain))
    expect(read(plain.replace(/}$/, ',"more":1}'))).toEqual(read(plain))
  })

  it("that two programs could read differently is unreadable", () => {
    const twin = plain.replace(/}$/, ',"payload":""}')
    const other = plain.replace('"sig":', '"sig":"BBBB","sig":')
    const loose = plain.replace('"payload":"', '"payload":"\\n')
    const cut = plain.slice(0, -1)
    for (const line of [twin, other, loose, cut, `${plain}}`]) expect(faultsOf(line)).toEqual(["statement_unreadable"])
  })

  it("with another type, no signature or two says so", () => {
    const typed = plain.replace("in-toto", "other")
    const unsigned = JSON.stringify({ ...envelope, signatures: [] })
    const twice = JSON.stringify({ ...envelope, signatures: [signature, signature] })
    expect([typed, unsigned, twice].map(faultsOf)).toEqual([
      ["envelope_type"],
      ["signature_missing"],
      ["statement_unreadable"]
    ])
  })
})
