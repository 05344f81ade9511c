/** Verification summaries over HTTP, and statements as Sigstore's own verifier reads them: as it stands, from npm. */
import { createHash, createPublicKey } from "node:crypto"
import { bundleFromJSON } from "@sigstore/bundle"
import { TrustedRoot } from "@sigstore/protobuf-specs"
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify"
import * as MemorySigner from "@pawl/adapters-memory/MemorySigner"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { statementKey } from "@pawl/core/model/Statement"
import { envelopeOf } from "@pawl/core/provenance/Envelope"
import { proofMessage } from "@pawl/core/provenance/PublicKeys"
import { rotate } from "@pawl/core/provenance/Rotation"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { Signer } from "@pawl/core/provenance/Signer"
import { sigstoreBundle } from "@pawl/core/provenance/Summary"
import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

let api: Api
let projectId: string
let key: { readonly keyid: string; readonly spki: string }
beforeAll(async () => {
  api = await startApi({ settings: { apiOrigin: "https://pawl.example" } })
  const project = await newProject(api, "summed")
  projectId = project.id
  const made = await newCandidate(api, project.id, "r1", { "a.txt": "new" })
  await api.call("POST", `/v1/candidates/${made.candidateId}/promote`, { body: {} })
  await api.settle()
  key = await api.run(Effect.flatMap(Signer, ({ keys }) => Effect.map(keys, ({ statement }) => statement)))
})
afterAll(() => api.close())

const asking =
  (what: string) =>
  (n: number | string, query = "", headers = {}) =>
    api.call("GET", `/v1/projects/${projectId}/versions/${n}/${what}${query}`, { headers })
const vsa = asking("vsa")
const promotion = asking("statement")

/** No authority, no log: a public key, as `cosign --key` has it. Answers, or throws what is wrong. */
const verify = (bundle: object) => {
  const root = TrustedRoot.fromJSON({
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [],
    certificateAuthorities: [],
    ctlogs: [],
    timestampAuthorities: []
  })
  const publicKey = createPublicKey({ key: Buffer.from(key.spki, "base64"), format: "der", type: "spki" })
  const material = toTrustMaterial(root, () => ({ publicKey, validFor: () => true }))
  const verifier = new Verifier(material, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 })
  return verifier.verify(toSignedEntity(bundleFromJSON(bundle)))
}

const payloadOf = (envelope: { readonly payload: string }) =>
  JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8"))

describe("A verification summary", () => {
  it("says of a promotion what its statement says, in SLSA's words", async () => {
    const answer = await vsa(1)
    expect(answer.headers.get("content-type")).toBe("application/vnd.dsse.envelope+json")
    const summary = payloadOf(answer.body)
    const entries = await api.run(
      Effect.forEach(
        Array.from({ length: 12 }, (_, entry) => entry),
        (entry) => find("statement", statementKey(projectId, entry))
      )
    )
    const statement = entries.find((each) => each?.record.kind === "promotion" && each.record.generation === 1)?.record
    expect(statement).toBeDefined()
    const said = JSON.parse(statement?.payload ?? "")
    expect(summary).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      predicateType: "https://slsa.dev/verification_summary/v1",
      predicate: {
        verifier: { id: "https://pawl.example", version: { pawl: "0.0.0-test" } },
        timeVerified: said.predicate.at,
        resourceUri: `git+https://pawl.example/git/${projectId}.git`,
        policy: { digest: { sha256: said.predicate.policy.sha256 } },
        inputAttestations: [
          {
            digest: {
              sha256: createHash("sha256")
                .update(statement?.payload ?? "")
                .digest("hex")
            }
          }
        ],
        verificationResult: "PASSED",
        verifiedLevels: expect.arrayContaining(["SLSA_SOURCE_LEVEL_3", "ORG_SOURCE_CHECKED"]),
        slsaVersion: "1.2"
      }
    })
    expect(summary.subject.map(({ digest }: { digest: object }) => digest)).toEqual(
      said.subject.map(({ digest }: { digest: object }) => digest)
    )
    expect(summary.subject[0].annotations).toEqual({ sourceRefs: ["refs/heads/main"] })
    // Nobody's id is in it.
    expect(JSON.stringify(summary)).not.toMatch(/usr_|chg_|agt_/)
    // A seed was checked by nobody.
    expect(payloadOf((await vsa(0)).body).predicate.verifiedLevels).toEqual(["SLSA_SOURCE_LEVEL_3"])
  })

  it("is read by Sigstore's verifier as it stands, and refused when a byte of it is another", async () => {
    const asked = await vsa(1, "?format=bundle")
    const byHeader = await vsa(1, "", { accept: "application/vnd.dev.sigstore.bundle.v0.3+json" })
    for (const answer of [asked, byHeader]) {
      expect(answer.headers.get("content-type")).toBe("application/vnd.dev.sigstore.bundle.v0.3+json")
      expect(() => verify(answer.body)).not.toThrow()
    }
    const { body } = asked
    const payload = Buffer.from(body.dsseEnvelope.payload, "base64")
    payload[40] = payload[40]! ^ 1
    const changed = { ...body, dsseEnvelope: { ...body.dsseEnvelope, payload: payload.toString("base64") } }
    expect(() => verify(changed)).toThrow()
  })

  it("is not made where there is no statement, and for no number", async () => {
    expectProblem(await vsa(7), 404, "unknown_version")
    expectProblem(await vsa("x"), 404, "unknown_version")
  })

  it("waits for the statement's signature as the statement does, and says why there is none", async () => {
    const other = await newProject(api, "unsigned")
    const head = { size: 99, root: Base64.encode(new Uint8Array(32)) }
    await api.run(Effect.flatMap(SignedHeads, (heads) => heads.set(`pawl.example/log/${other.id}`, head)))
    const made = await newCandidate(api, other.id, "r1", { "a.txt": "new" })
    await api.call("POST", `/v1/candidates/${made.candidateId}/promote`, { body: {} })
    await api.settle()
    for (const what of ["statement", "vsa"]) {
      const answer = await api.call("GET", `/v1/projects/${other.id}/versions/1/${what}`)
      expectProblem(answer, 409, "statement_unsigned")
      expect(answer.body).toMatchObject({ generation: 1, refused: "log_behind" })
    }
  })
})

describe("What a summary rests on", () => {
  const tiers = ["low", "medium", "high", "unknown"]

  it("is the Policy that was stated: a row that says something else lifts no level", async () => {
    const { id } = await newProject(api, "lifted")
    await api.call("PUT", `/v1/projects/${id}/policy`, { body: { approvalRiskTiers: tiers, allowSelfApproval: true } })
    const { candidateId, changeId } = await newCandidate(api, id, "r1", { "a.txt": "new" })
    await api.call("POST", `/v1/changes/${changeId}/approve`, { body: { candidateId, decision: "granted" } })
    await api.call("POST", `/v1/candidates/${candidateId}/promote`, { body: {} })
    await api.settle()
    const path = `/v1/projects/${id}/versions/1`
    const { approvalsRequired, policy } = payloadOf((await api.call("GET", `${path}/statement`)).body).predicate
    expect(approvalsRequired).toBe(1)
    await api.run(
      Effect.gen(function* () {
        const row = yield* demand("policyVersion", `${id}/${policy.version}`)
        const writes = [Commit.update("policyVersion", row, { allowSelfApproval: false })]
        yield* (yield* Ledger).commit({ name: "lifted", projectId: id, writes })
      })
    )
    const { verifiedLevels } = payloadOf((await api.call("GET", `${path}/vsa`)).body).predicate
    expect(verifiedLevels).toContain("SLSA_SOURCE_LEVEL_3")
    expect(verifiedLevels).not.toContain("SLSA_SOURCE_LEVEL_4")
  })

  it("is no signature of a stolen key: until an audit has passed neither summary nor statement is signed, and both say so", async () => {
    const own = await startApi({ settings: { apiOrigin: "https://pawl.example" } })
    const { id } = await newProject(own, "revoked")
    expect((await own.call("GET", `/v1/projects/${id}/versions/0/vsa`)).status).toBe(200)
    await own.run(
      Effect.gen(function* () {
        const old = yield* Signer
        const next = yield* Effect.provide(Signer, Layer.fresh(MemorySigner.layerMemory))
        const { statement } = yield* next.keys
        const { sig: proof } = yield* next.sign("statement", proofMessage(statement.keyid))
        const sign = (message: Uint8Array) => old.sign("statement", message)
        yield* rotate({ next: { key: statement, use: "statement", proof }, sign, stolen: new Map() })
      })
    )
    for (const what of ["statement", "vsa"]) {
      const answer = await own.call("GET", `/v1/projects/${id}/versions/0/${what}`)
      expectProblem(answer, 409, "statement_unsigned")
      expect(answer.body).toMatchObject({ generation: 0, refused: "audit_pending" })
    }
    await own.close()
  })
})

describe("A promotion's statement", () => {
  it("is answered as a Sigstore bundle too, which Sigstore's verifier reads as it stands", async () => {
    const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
    const plain = await promotion(1)
    expect(plain.headers.get("content-type")).toBe("application/vnd.dsse.envelope+json")
    for (const answer of [await promotion(1, "?format=bundle"), await promotion(1, "", { accept: bundleType })]) {
      expect(answer.headers.get("content-type")).toBe(bundleType)
      expect(answer.body.dsseEnvelope).toEqual(plain.body)
      expect(() => verify(answer.body)).not.toThrow()
      const other = { ...answer.body.dsseEnvelope, payload: (await promotion(0)).body.payload }
      expect(() => verify({ ...answer.body, dsseEnvelope: other })).toThrow()
    }
    // `format` says more than a header.
    expect((await promotion(1, "?format=dsse", { accept: bundleType })).body).toEqual(plain.body)
  })
})

describe("Statements of each kind", () => {
  it("are read by Sigstore's verifier as they stand", async () => {
    const kinds = new Set<string>()
    for (let entry = 0; ; entry++) {
      const found = await api.run(find("statement", statementKey(projectId, entry)))
      if (found === null) break
      kinds.add(found.record.kind)
      expect(() => verify(sigstoreBundle(envelopeOf(found.record)))).not.toThrow()
    }
    expect([...kinds].sort()).toEqual(["outcome", "policy", "promotion", "release"])
  })
})
