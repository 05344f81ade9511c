/** A passkey's answer, made by Node's own cryptography: it shares no code with what checks it. */
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Assertion } from "@pawl/core/model/Approver"
import { challengeOf } from "@pawl/core/provenance/ApprovalText"
import { type AssertionProblem, assertionProblem, covers } from "@pawl/core/provenance/WebAuthn"

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const approver = {
  credential: "Y3JlZGVudGlhbA",
  spki: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  rpId: "pawl.example"
}
const text = '{"decision":"granted"}'
const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest()
const origin = "https://pawl.example"

interface Said {
  readonly client?: string | Buffer
  readonly flags?: number
  readonly party?: string
  readonly encoding?: "der" | "ieee-p1363"
}

const said = { type: "webauthn.get", challenge: sha256(text).toString("base64url"), origin }

const answer = (altered: Said = {}): Assertion => {
  const client = Buffer.from(altered.client ?? JSON.stringify(said))
  const flags = Buffer.of(altered.flags ?? 0x05, 0, 0, 0, 9)
  const authenticator = Buffer.concat([sha256(altered.party ?? approver.rpId), flags])
  const message = Buffer.concat([authenticator, sha256(client)])
  return {
    credential: approver.credential,
    authenticatorData: authenticator.toString("base64url"),
    clientDataJSON: client.toString("base64url"),
    signature: sign("sha256", message, { key: privateKey, dsaEncoding: altered.encoding ?? "der" }).toString(
      "base64url"
    )
  }
}

const problemOf = (assertion: Assertion, site: string | null = origin) =>
  Effect.runPromise(
    assertionProblem(assertion, { approver, challenge: challengeOf(text), origins: site === null ? [] : [site] })
  )

describe("A passkey's answer", () => {
  it("holds where all of it is as asked", async () => {
    expect(await problemOf(answer())).toBeNull()
    expect(await problemOf(answer(), null)).toBeNull()
    // Backed up, with extensions to come: other flags are nobody's business.
    expect(await problemOf(answer({ flags: 0x1d }))).toBeNull()
  })

  it("is refused for each thing that is not, by its name", async () => {
    const json = (fields: object) => JSON.stringify({ ...said, ...fields })
    const cases: ReadonlyArray<readonly [AssertionProblem, Assertion]> = [
      ["unreadable", { ...answer(), clientDataJSON: "*" }],
      ["unreadable", answer({ client: "no JSON" })],
      ["unreadable", answer({ client: Buffer.of(0xff, 0xfe) })],
      ["unreadable", answer({ client: "[]" })],
      // One program would read the first of the two, and another the second.
      ["unreadable", answer({ client: JSON.stringify(said).replace("{", '{"type":"webauthn.create",') })],
      ["unreadable", { ...answer(), authenticatorData: "AAAA" }],
      ["other_credential", { ...answer(), credential: "b3RoZXI" }],
      ["other_type", answer({ client: json({ type: "webauthn.create" }) })],
      ["other_challenge", answer({ client: json({ challenge: sha256("another").toString("base64url") }) })],
      ["other_challenge", answer({ client: json({ challenge: "" }) })],
      ["other_origin", answer({ client: json({ origin: "https://pawl.example.evil.example" }) })],
      ["other_origin", answer({ client: json({ crossOrigin: true }) })],
      ["other_relying_party", answer({ party: "evil.example" })],
      ["user_absent", answer({ flags: 0x04 })],
      ["user_not_verified", answer({ flags: 0x01 })],
      ["signature_invalid", answer({ encoding: "ieee-p1363" })],
      ["signature_invalid", { ...answer(), signature: "" }]
    ]
    for (const [problem, assertion] of cases) expect(await problemOf(assertion)).toBe(problem)
  })

  it("is refused with any bit of what was signed turned over", async () => {
    const good = answer()
    for (const field of ["authenticatorData", "clientDataJSON", "signature"] as const) {
      const bytes = Buffer.from(good[field], "base64url")
      for (let at = 0; at < bytes.length; at++) {
        const turned = Buffer.from(bytes)
        turned[at] = turned[at]! ^ (1 << (at % 8))
        expect(await problemOf({ ...good, [field]: turned.toString("base64url") })).not.toBeNull()
      }
    }
  })
})

describe("A relying party", () => {
  it("covers its own name and those below it, over TLS or on this machine", () => {
    const covered = ["https://pawl.example", "https://a.pawl.example", "https://pawl.example:8443"]
    for (const site of covered) expect(covers("pawl.example", site)).toBe(true)
    expect(covers("localhost", "http://localhost:8787")).toBe(true)
    const others = [
      "http://pawl.example",
      "https://xpawl.example",
      "https://example",
      "https://pawl.example/",
      "pawl.example",
      "https://pawl.example:",
      "https://PAWL.example",
      "https://evil.example/.pawl.example",
      "https://a@pawl.example",
      "http://localhost.pawl.example",
      "null"
    ]
    for (const site of others) expect(covers("pawl.example", site)).toBe(false)
  })
})
