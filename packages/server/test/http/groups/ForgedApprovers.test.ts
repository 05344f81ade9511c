/** Passkeys that somebody has written into the database: the gate counts those that the instance's chain states. */
import { answerOf, newPasskey, type Passkey } from "@pawl/testing/tools/SoftwareAuthenticator"
import { statedPasskeys } from "@pawl/core/approval/StatedPasskeys"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as Time from "@pawl/core/primitives/Time"
import { enchained } from "@pawl/core/provenance/InstanceChain"
import { Signer } from "@pawl/core/provenance/Signer"
import { ReleaseTrust, type ReleaseTrustShape } from "@pawl/core/provenance/TrustedKeys"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

const origin = "https://pawl.example"
const rpId = "pawl.example"
const tiers = ["low", "medium", "high", "unknown"]
const passkeyOf = () => Effect.runPromise(newPasskey(rpId))

let api: Api
let ownerId: `usr_${string}`
let owners: Passkey
beforeEach(async () => {
  api = await startApi({ settings: { apiOrigin: origin } })
  ownerId = (await api.call("GET", "/v1/me")).body.user.id
  owners = await passkeyOf()
  if ((await enrol(owners)).status !== 201) throw new Error("the owner's passkey is not enrolled")
})
afterEach(() => api.close())

const enrol = ({ credential, publicKey }: Passkey) =>
  api.call("POST", "/v1/approvers", { body: { credential, publicKey, rpId } })

const factsOf = ({ credential, publicKey }: Passkey) => ({ credential, spki: publicKey, user: ownerId, rpId })
const rowOf = (passkey: Passkey, enrolledAt: number, createdAt: Time.Timestamp) =>
  Commit.insert("approver", { ...factsOf(passkey), owner: true, enrolledAt, removedAt: null, createdAt })

/** As whoever can write to the database, and has no key and no passkey that is enrolled. */
const stealing = (writes: ReadonlyArray<Commit.Write>) =>
  Effect.flatMap(Ledger, (ledger) => ledger.commit({ name: "stolen", projectId: null, writes }))

/** A row alone. */
const written = (passkey: Passkey) => Effect.flatMap(Time.now, (now) => stealing([rowOf(passkey, 0, now)]))

/** A row, and a statement at the end of the chain, which the signer signs as any other. */
const stated = (passkey: Passkey) =>
  Effect.gen(function* () {
    const now = yield* Time.now
    const facts = { ...factsOf(passkey), owner: true as const }
    const subject = [{ name: passkey.credential, digest: { sha256: "0".repeat(64) } }]
    const made = yield* enchained({ kind: "approver", generation: null, subject, facts }, now)
    yield* stealing([rowOf(passkey, made.statement.entry, now), ...made.writes])
  })

/** A Candidate that a passkey of the owner must sign, signed by this one, and what promoting it comes to. */
const promoted = async (slug: string, passkey: Passkey) => {
  const { id } = await newProject(api, slug)
  await api.call("PUT", `/v1/projects/${id}/policy`, { body: { approvalRiskTiers: tiers, approvalsSigned: tiers } })
  const { candidateId, changeId } = await newCandidate(api, id, "r1", { "src/a.js": "new" })
  const asked = await api.call("GET", `/v1/candidates/${candidateId}/approval-challenge?decision=granted`)
  const signed = await Effect.runPromise(answerOf(passkey, asked.body.challenge, origin))
  const body = { candidateId, decision: "granted", passkey: signed }
  expect((await api.call("POST", `/v1/changes/${changeId}/approve`, { body })).status).toBe(200)
  return api.call("POST", `/v1/candidates/${candidateId}/promote`, { body: {} })
}

describe("A passkey that somebody wrote into the database", () => {
  it.each([
    ["a row alone", written],
    ["a row and a statement that no owner's passkey endorsed", stated]
  ] as const)("counts for no promotion: %s", async (_, theft) => {
    const thiefs = await passkeyOf()
    await api.run(theft(thiefs))
    await api.settle()
    expect((await promoted("forged", thiefs)).body.blocks).toMatchObject([{ code: "approval_missing" }])
    expect((await promoted("owned", owners)).body.outcome).toBe("promoted")
  })

  it("counts for none in the place of one that was stated", async () => {
    const thiefs = await passkeyOf()
    await api.run(
      Effect.gen(function* () {
        const row = yield* demand("approver", owners.credential)
        yield* stealing([Commit.update("approver", row, { spki: thiefs.publicKey })])
      })
    )
    const { body } = await promoted("replaced", { ...thiefs, credential: owners.credential })
    expect(body.blocks).toMatchObject([{ code: "approval_missing" }])
  })

  it("is not the first because the others' rows are gone: the chain has them", async () => {
    await api.run(
      Effect.gen(function* () {
        const { revision } = yield* demand("approver", owners.credential)
        yield* stealing([{ _tag: "Delete", kind: "approver", id: owners.credential, revision }])
      })
    )
    expectProblem(await enrol(await passkeyOf()), 409, "endorsement_required")
  })

  it("counts by signed entries alone where signatures are looked at", async () => {
    const counted = (keyOf: ReleaseTrustShape["keyOf"]) =>
      api.run(
        Effect.map(
          Effect.provideService(statedPasskeys, ReleaseTrust, { mode: "warn", keyOf }),
          (passkeys) => passkeys.size
        )
      )
    const { statement } = await api.run(Effect.flatMap(Signer, ({ keys }) => keys))
    const known = () => Effect.succeed({ ...statement, use: "statement", ended: null })
    expect(await counted(known)).toBe(0)
    await api.settle()
    expect(await counted(known)).toBe(1)
    expect(await counted(() => Effect.succeed(null))).toBe(0)
  })
})
