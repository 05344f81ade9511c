/** Approvals that passkeys sign, met over HTTP: by a software authenticator, as a browser would. */
import { createHash, generateKeyPairSync } from "node:crypto"
import {
  type Altered,
  answerOf as answering,
  newPasskey as making,
  type Passkey
} from "@pawl/testing/tools/SoftwareAuthenticator"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"

const origin = "https://pawl.example"
const rpId = "pawl.example"
const tiers = ["low", "medium", "high", "unknown"]

const newPasskey = (name: string) => Effect.runPromise(making(name))
const answerOf = (passkey: Passkey, challenge: string, site: string, altered?: Altered) =>
  Effect.runPromise(answering(passkey, challenge, site, altered))
/** The challenge of a text, base64url. */
const challengeOfText = (text: string) => createHash("sha256").update(text).digest("base64url")

let api: Api
let organizationId: string
let owner: Passkey
let ownerId: string
beforeAll(async () => {
  api = await startApi({ settings: { apiOrigin: origin } })
  organizationId = (await api.call("GET", "/v1/organizations")).body.items[0].id
  ownerId = (await api.call("GET", "/v1/me")).body.user.id
  owner = await newPasskey(rpId)
})
afterAll(() => api.close())

const as = (token: string | undefined) => (token === undefined ? {} : { token })
const post = (path: string, body: unknown, token?: string) => api.call("POST", path, { body, ...as(token) })
const enrol = (passkey: Passkey, beside: object = {}, token?: string) => {
  const { credential, publicKey } = passkey
  return post("/v1/approvers", { credential, publicKey, rpId, ...beside }, token)
}

/** Enrolled, with the endorsement of the owner's passkey. */
const endorsed = async (passkey: Passkey, user: string) => {
  const { text } = (await enrol(passkey, { user })).body
  const endorsement = await answerOf(owner, challengeOfText(text), origin)
  const answer = await enrol(passkey, { user, endorsement })
  expect(answer.status).toBe(201)
  return answer.body.approver
}

const signedPolicy = (projectId: string, fields: object = {}) =>
  api.call("PUT", `/v1/projects/${projectId}/policy`, {
    body: { approvalRiskTiers: tiers, approvalsSigned: tiers, ...fields }
  })

/** A verified Candidate. */
const candidateIn = async (projectId: string, content: string) => {
  const fields = { clientRequestId: crypto.randomUUID(), goal: "a goal", budget_usd: 1 }
  const changeId = (await post(`/v1/projects/${projectId}/changes`, fields)).body.change.id as string
  await post(`/v1/changes/${changeId}/changesets`, { message: "edit", files: { "src/a.js": content } })
  const candidateId = (await post(`/v1/changes/${changeId}/candidates`, {})).body.candidate.id as string
  await api.settle()
  const challenge = (decision: string, token?: string) =>
    api.call("GET", `/v1/candidates/${candidateId}/approval-challenge?decision=${decision}`, as(token))
  const approve = (passkey: object | undefined, decision = "granted", token?: string) =>
    post(
      `/v1/changes/${changeId}/approve`,
      { candidateId, decision, ...(passkey === undefined ? {} : { passkey }) },
      token
    )
  /** Asks what to sign, and signs it. */
  const sign = async (passkey: Passkey, token?: string, altered: Altered = {}, site = origin) =>
    await answerOf(passkey, (await challenge("granted", token)).body.challenge, site, altered)
  const promote = () => post(`/v1/candidates/${candidateId}/promote`, {})
  return { changeId, candidateId, challenge, approve, sign, promote }
}

describe("Passkeys", () => {
  it("begin with an owner's own, and each later one is endorsed by an owner's", async () => {
    const ann = await newUser(api, "Ann", organizationId)
    expectProblem(await enrol(await newPasskey(rpId), {}, ann.token), 403, "insufficient_role")
    expectProblem(await enrol(await newPasskey(rpId), { user: ann.id }), 403, "insufficient_role")
    const first = await enrol(owner)
    expect(first).toMatchObject({ status: 201, body: { approver: { user: ownerId, owner: true, removedAt: null } } })
    expect((await enrol(owner)).body).toEqual(first.body)

    const hers = await newPasskey(rpId)
    const asked = await enrol(hers, {}, ann.token)
    expectProblem(asked, 409, "endorsement_required", { credentials: [] })
    // Whose passkeys may endorse, only owners are told.
    const ofOwner = (await enrol(hers, { user: ann.id })).body
    expect(ofOwner).toMatchObject({ text: asked.body.text, credentials: [owner.credential] })
    expect(JSON.parse(asked.body.text)).toEqual({
      domain: "pawl-approver-v1",
      credential: hers.credential,
      spki: hers.publicKey,
      user: ann.id,
      rpId,
      owner: false
    })
    const good = await answerOf(owner, challengeOfText(asked.body.text), origin)
    // Her own, another enrolment's, and one that was altered endorse nothing.
    const own = await answerOf(hers, challengeOfText(asked.body.text), origin)
    expectProblem(await enrol(hers, { endorsement: own }, ann.token), 403, "passkey_refused", {
      problem: "not_enrolled"
    })
    const other = await newPasskey(rpId)
    const refused = await enrol(other, { endorsement: good }, ann.token)
    expectProblem(refused, 403, "passkey_refused", { problem: "other_challenge" })
    const enrolled = await enrol(hers, { endorsement: good }, ann.token)
    expect(enrolled.body.approver).toMatchObject({ user: ann.id, rpId })
    expect(enrolled.body.approver.owner).toBeUndefined()
    // What she has cannot endorse another one.
    const { text } = (await enrol(other, {}, ann.token)).body
    const byHer = await answerOf(hers, challengeOfText(text), origin)
    expectProblem(await enrol(other, { endorsement: byHer }, ann.token), 403, "passkey_refused")
    expectProblem(await enrol({ ...hers, publicKey: other.publicKey }, {}, ann.token), 409, "credential_taken")

    const seen = async (token?: string) =>
      (await api.call("GET", "/v1/approvers", as(token))).body.items.map((each: { user: string }) => each.user)
    expect(await seen(ann.token)).toEqual([ann.id])
    expect((await seen()).sort()).toEqual([ann.id, ownerId].sort())
  })

  it("are of a name that the installation's host has, and of P-256", async () => {
    const passkey = await newPasskey(rpId)
    for (const bad of ["127.0.0.1", "[::1]", "example.com", "Pawl.example", "xpawl.example", ""])
      expectProblem(await enrol(passkey, { rpId: bad }), 400, "invalid_field", { field: "rpId" })
    const edwards = generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" })
    for (const bad of ["", "AAAA", "not base64", edwards.toString("base64")])
      expectProblem(await enrol({ ...passkey, publicKey: bad }), 400, "invalid_field", { field: "publicKey" })
  })

  it("are of no name that the hosts of apps end with: their pages could have them sign", async () => {
    const asked = async (apiOrigin: string, appsDomain: string, name: string) => {
      const other = await startApi({ settings: { apiOrigin, appsDomain } })
      const { credential, publicKey } = await newPasskey(name)
      const answer = await other.call("POST", "/v1/approvers", { body: { credential, publicKey, rpId: name } })
      await other.close()
      return answer
    }
    for (const [apps, name] of [
      ["apps.pawl.example", "pawl.example"],
      ["pawl.example", "pawl.example"]
    ] as const)
      expectProblem(await asked("https://www.pawl.example", apps, name), 400, "invalid_field", { field: "rpId" })
    for (const [site, apps, name] of [
      ["https://www.pawl.example", "apps.pawl.example", "www.pawl.example"],
      ["https://pawl.example", "apps-pawl.example", "pawl.example"],
      ["http://localhost:3000", "apps.localhost", "localhost"]
    ] as const)
      expect((await asked(site, apps, name)).status).toBe(201)
  })

  it("sign what a Policy wants signed: no grant counts without, and each is bound to its tree, plan, decision and person", async () => {
    const project = await newProject(api, "signed")
    expect((await signedPolicy(project.id)).status).toBe(200)
    const one = await candidateIn(project.id, "one")
    const other = await candidateIn(project.id, "other")
    expectProblem(await one.approve(undefined), 403, "passkey_required")
    expect((await one.promote()).body.blocks[0].detail).toMatch(/signed by a passkey$/)

    const asked = (await one.challenge("granted")).body
    expect(challengeOfText(asked.text)).toBe(asked.challenge)
    expect(asked.credentials).toEqual([{ credential: owner.credential, rpId }])
    expect(JSON.parse(asked.text)).toMatchObject({
      domain: "pawl-approval-v1",
      project: project.id,
      change: one.changeId,
      candidate: one.candidateId,
      decision: "granted",
      approver: ownerId,
      tree: expect.stringMatching(/^[0-9a-f]{40}$/),
      source: expect.stringMatching(/^[0-9a-f]{64}$/),
      plan: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    const ben = await newUser(api, "Ben", organizationId)
    const bens = await newPasskey(rpId)
    await endorsed(bens, ben.id)
    const rejecting = await answerOf(owner, (await one.challenge("rejected")).body.challenge, origin)
    const refusals: ReadonlyArray<readonly [what: object, problem: string, token?: string]> = [
      [await other.sign(owner), "other_challenge"],
      [rejecting, "other_challenge"],
      [await one.sign(owner), "not_enrolled", ben.token],
      [await one.sign(bens), "not_enrolled"],
      [await one.sign(bens, undefined, {}), "other_challenge", ben.token],
      [await one.sign(owner, undefined, {}, "https://evil.example"), "other_origin"],
      [await one.sign(owner, undefined, {}, "https://sub.pawl.example"), "other_origin"],
      [await one.sign(owner, undefined, { crossOrigin: true }), "other_origin"],
      [await one.sign(owner, undefined, { rpId: "evil.example" }), "other_relying_party"],
      [await one.sign(owner, undefined, { flags: 0x01 }), "user_not_verified"],
      [await one.sign(owner, undefined, { flags: 0x04 }), "user_absent"],
      [await one.sign(owner, undefined, { type: "webauthn.create" }), "other_type"],
      [await one.sign(await newPasskey(rpId)), "not_enrolled"],
      [await one.sign(await newPasskey(rpId), undefined, { credential: owner.credential }), "signature_invalid"]
    ]
    for (const [passkey, problem, token] of refusals)
      expectProblem(await one.approve(passkey, "granted", token), 403, "passkey_refused", { problem })

    const granted = await one.approve(await one.sign(owner, undefined, { counter: 7 }))
    expect(granted).toMatchObject({ status: 200, body: { approval: { passkey: { credential: owner.credential } } } })
    expect((await one.promote()).status).toBe(200)
  })

  it("are of distinct people: two of one person are one approval", async () => {
    const project = await newProject(api, "distinct")
    await signedPolicy(project.id, { approvalsRequired: 2 })
    const second = await newPasskey(rpId)
    await endorsed(second, ownerId)
    const made = await candidateIn(project.id, "two")
    const first = await made.approve(await made.sign(owner))
    // The counter of the second is lower: nothing hangs on it.
    expect((await made.approve(await made.sign(second))).body).toEqual(first.body)
    expect((await made.promote()).body.blocks[0].detail).toMatch(/^1 of 2 granted approvals/)
    const cleo = await newUser(api, "Cleo", organizationId)
    const hers = await newPasskey(rpId)
    await endorsed(hers, cleo.id)
    expect((await made.approve(await made.sign(hers, cleo.token), "granted", cleo.token)).status).toBe(200)
    expect((await made.promote()).status).toBe(200)
  })

  it("count until they are removed; what an owner needs to endorse others stays", async () => {
    expectProblem(await enrolAndRemoveAll(), 409, "last_endorser")
    const project = await newProject(api, "removed")
    await signedPolicy(project.id)
    const dora = await newUser(api, "Dora", organizationId)
    const hers = await newPasskey(rpId)
    await endorsed(hers, dora.id)
    const made = await candidateIn(project.id, "three")
    const signature = await made.sign(hers, dora.token)
    expect((await made.approve(signature, "granted", dora.token)).status).toBe(200)
    expectProblem(
      await api.call("DELETE", `/v1/approvers/${owner.credential}`, { token: dora.token }),
      404,
      "unknown_approver"
    )
    const removed = await api.call("DELETE", `/v1/approvers/${hers.credential}`)
    expect(removed.body.approver.removedAt).toBeGreaterThan(removed.body.approver.enrolledAt)
    expect((await api.call("DELETE", `/v1/approvers/${hers.credential}`)).body).toEqual(removed.body)
    expect((await made.promote()).body.blocks).toMatchObject([{ code: "approval_missing" }])
    expectProblem(await made.approve(signature, "granted", dora.token), 403, "passkey_refused", {
      problem: "not_enrolled"
    })
    expect((await made.approve(await made.sign(owner))).status).toBe(200)
    expect((await made.promote()).status).toBe(200)
  })

  it("are asked for only where the Policy says so, and a Policy that could not mean anything is refused", async () => {
    const project = await newProject(api, "unsigned")
    const bad = await signedPolicy(project.id, { approvalRiskTiers: ["high"], approvalsSigned: ["medium"] })
    expectProblem(bad, 400, "invalid_field", { field: "approvalsSigned" })
    await signedPolicy(project.id, { approvalsSigned: ["high"], approvalRiskTiers: tiers })
    const made = await candidateIn(project.id, "four")
    expect((await made.approve(undefined)).status).toBe(200)
    expect((await made.promote()).status).toBe(200)
    // Left out again, it is gone.
    await api.call("PUT", `/v1/projects/${project.id}/policy`, { body: { approvalRiskTiers: tiers } })
    expect((await api.call("GET", `/v1/projects/${project.id}/policy`)).body.policy.approvalsSigned).toEqual([])
  })
})

const enrolAndRemoveAll = async () => {
  const { items } = (await api.call("GET", "/v1/approvers")).body
  const own = items.filter((each: { owner?: true; removedAt: number | null }) => each.owner && each.removedAt === null)
  for (const each of own.slice(1))
    if (each.credential !== owner.credential) await api.call("DELETE", `/v1/approvers/${each.credential}`)
  return api.call("DELETE", `/v1/approvers/${owner.credential}`)
}
