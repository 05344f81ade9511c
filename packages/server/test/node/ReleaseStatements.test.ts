/** What `/__service/provenance.json` says, over the real API and statements that are signed. */
import { demand, find } from "@pawl/core/ledger/Decision"
import * as Commit from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { statementKey } from "@pawl/core/model/Statement"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import { leafHash } from "@pawl/core/provenance/Edge"
import { isIncluded } from "@pawl/core/provenance/Merkle"
import { sign } from "@pawl/core/provenance/Signing"
import { ReleaseStatement } from "@pawl/router/ReleaseStatement"
import type { Verdict } from "@pawl/router/ReleaseChecks"
import { Clock, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Options } from "../../src/node/Options.ts"
import * as ReleaseStatements from "../../src/node/ReleaseStatements.ts"
import { ServerLimits } from "../../src/ServerLimits.ts"
import { type Api, newCandidate, newProject, newUser, ownerToken, startApi } from "../http/TestApi.ts"

let api: Api
let projectId: ProjectId
let another: { readonly token: string }
let member: { readonly token: string }
beforeAll(async () => {
  api = await startApi()
  const organizationId = (await api.call("GET", "/v1/organizations")).body.items[0].id
  projectId = (await newProject(api, "told")).id as ProjectId
  another = await newUser(api, "Stranger")
  member = await newUser(api, "Ann", organizationId)
  const made = await newCandidate(api, projectId, "r1", { "a.txt": "new" })
  await api.call("POST", `/v1/candidates/${made.candidateId}/promote`, { body: {} })
  await api.settle()
})
afterAll(() => api.close())

/** A checkpoint of all that is signed, as if the one before were 10 s old. */
const checkpointed = () =>
  api.run(
    Effect.gen(function* () {
      const log = yield* demand("chainLog", projectId)
      const writes = [Commit.update("chainLog", log, { checkpointAt: "2026-01-01T00:00:00.000Z" })]
      yield* (yield* Ledger).commit({ name: "test", projectId, writes })
      yield* sign(projectId)
    })
  )

/** The process's steady clock, so much later. */
const later = (byMs: number): Clock.Clock => {
  const now = Effect.runSync(Clock.Clock)
  const nanos = () => now.monotonicTimeNanosUnsafe() + BigInt(byMs) * 1_000_000n
  return Object.assign(Object.create(now), { monotonicTimeNanosUnsafe: nanos })
}

type Public = Options["provenancePublic"]
const asking = (provenancePublic: Public, provenance: Options["provenance"] = "warn") =>
  api.run(Effect.provide(ReleaseStatement, ReleaseStatements.layer({ provenancePublic, provenance })))
const row = () => api.run(Effect.map(demand("pointer", `${projectId}/production`), ({ record }) => record))
const said = async (
  provenancePublic: Public,
  { verdict = "verified", authorization }: { verdict?: Verdict; authorization?: string } = {}
) => {
  const { of } = await asking(provenancePublic)
  const text = await Effect.runPromise(of(await row(), verdict, authorization))
  return text === null ? null : { text, body: JSON.parse(text) }
}
const people = /usr_|chg_|cand_|agt_/

describe("What a host says of what it serves", () => {
  it("is nothing where nobody is to be told", async () => {
    expect(await said("none")).toBeNull()
    expect(await said("none", { authorization: `Bearer ${ownerToken}` })).toBeNull()
  })

  it("names Project, generation, commit, bundle, verdict and statement, and nobody", async () => {
    const { bundleDigest, commit } = await row()
    const told = await said("summary", { authorization: `Bearer ${ownerToken}` })
    expect(told?.body).toMatchObject({
      project: projectId,
      channel: "production",
      generation: 1,
      commit,
      bundle: { sha256: bundleDigest },
      mode: "warn",
      verdict: "verified"
    })
    expect(told?.body).not.toHaveProperty("promotion")
    const statement = JSON.parse(Buffer.from(told?.body.statement.payload, "base64").toString())
    expect(statement.subject).toEqual([{ name: "bundle.json", digest: { sha256: bundleDigest } }])
    expect(told?.text).not.toMatch(people)
    expect(JSON.stringify(statement)).not.toMatch(people)
  })

  it("says what routers make of it, and whether they serve it", async () => {
    const { of } = await asking("summary", "enforce")
    const found = await row()
    for (const verdict of ["verified", "release_superseded", "live_mismatch"] as const) {
      const text = await Effect.runPromise(of(found, verdict, undefined))
      expect(JSON.parse(text ?? "")).toMatchObject({ mode: "enforce", verdict })
    }
  })

  it("shows that the statement is in the log: a proof in its newest checkpoint, as soon as one covers it", async () => {
    const before = await said("summary")
    expect(before?.body).toMatchObject({ proof: null, checkpoint: expect.stringContaining(`/log/${projectId}\n`) })
    await checkpointed()
    const { body } = (await said("summary"))!
    const [heading, index, ...rest] = String(body.proof).split("\n")
    const end = rest.indexOf("")
    const hashes = rest.slice(0, end).map((line) => Uint8Array.from(Buffer.from(line, "base64")))
    expect([heading, rest.slice(end + 1).join("\n")]).toEqual(["c2sp.org/tlog-proof@v1", body.checkpoint])
    const [, size, root] = String(body.checkpoint).split("\n")
    const at = Number(/^index (\d+)$/.exec(index ?? "")?.[1])
    const shown = {
      index: at,
      leaf: leafHash(Uint8Array.from(Buffer.from(body.statement.payload, "base64"))),
      root: Uint8Array.from(Buffer.from(root ?? "", "base64")),
      size: Number(size)
    }
    expect(isIncluded(shown, hashes)).toBe(true)
    expect(isIncluded({ ...shown, leaf: leafHash(Uint8Array.of(1)) }, hashes)).toBe(false)
    const stored = await api.run(find("statement", statementKey(projectId, at)))
    expect(stored?.record).toMatchObject({ kind: "release", generation: 1 })
    // Later entries and later checkpoints prove it as well.
    await api.call("PUT", `/v1/projects/${projectId}/policy`, { body: { approvalRiskTiers: ["high"] } })
    await api.settle()
    await checkpointed()
    const later = (await said("summary"))!.body
    expect(later.checkpoint).not.toBe(body.checkpoint)
    expect(later.proof).not.toBe(body.proof)
  })

  it("signs one summary, however often the log is looked at before its proof is there", async () => {
    const { of } = await asking("summary")
    const found = await row()
    const unproven = { ...found, provenance: { ...found.provenance!, entry: 1_000_000 } }
    const told = async (afterMs: number) => {
      const text = await Effect.runPromise(
        Effect.provideService(of(unproven, "verified", undefined), Clock.Clock, later(afterMs))
      )
      return JSON.parse(text ?? "")
    }
    const before = await told(0)
    expect(before).toMatchObject({ proof: null, summary: { signatures: [{}] } })
    await api.call("PUT", `/v1/projects/${projectId}/policy`, { body: { approvalRiskTiers: ["low"] } })
    await api.settle()
    await checkpointed()
    const after = await told(2 * ServerLimits.provenancePageMs)
    expect(after.checkpoint).not.toBe(before.checkpoint)
    expect(after.summary).toEqual(before.summary)
  })

  it("tells the history of keys and sums up the generation, and names no approver in either", async () => {
    await checkpointed()
    const { commit } = await row()
    const { body, text } = (await said("summary"))!
    const kinds = body.keys.history.map(
      ({ payload }: { payload: string }) => JSON.parse(Buffer.from(payload, "base64").toString()).predicate.use
    )
    expect(kinds).toEqual(["statement", "log"])
    const summary = JSON.parse(Buffer.from(body.summary.payload, "base64").toString())
    expect(summary.subject[0]).toMatchObject({ name: `${projectId}/S1`, digest: { gitCommit: commit } })
    expect(body.summary.signatures[0].keyid).toBe(body.statement.signatures[0].keyid)
    expect(JSON.stringify(summary)).not.toMatch(people)
    // An entry about a passkey is told by the hash of its leaf alone.
    const [first] = await api.run(find("statement", statementKey("instance", 0))).then((each) => [each?.record])
    const enrolled = { ...first!, entry: 2, kind: "approver" as const, payload: '{"user":"usr_somebody"}' }
    const chain = await api.run(demand("chain", "instance"))
    const writes = [Commit.insert("statement", enrolled), Commit.update("chain", chain, { size: 3 })]
    await api.run(Effect.flatMap(Ledger, (ledger) => ledger.commit({ name: "test", projectId: null, writes })))
    const later = (await said("summary"))!
    expect(later.body.keys.history[2]).toEqual({
      leaf: Buffer.from(leafHash(new TextEncoder().encode(enrolled.payload))).toString("base64")
    })
    expect([text, later.text].join()).not.toMatch(people)
  })

  it("names people to who may read the Project and says so, where all of it may be told", async () => {
    const reads = (await api.call("POST", "/v1/tokens", { body: { name: "r", scopes: ["read"] } })).body.token
    const writes = (await api.call("POST", "/v1/tokens", { body: { name: "w", scopes: ["write"] } })).body.token
    for (const token of [ownerToken, reads, member.token]) {
      const told = await said("full", { authorization: `Bearer ${token}` })
      const promotion = JSON.parse(Buffer.from(told?.body.promotion.payload, "base64").toString())
      expect(promotion.predicate).toMatchObject({ generation: 1, actor: { id: expect.stringMatching(/^usr_/) } })
    }
    const strangers = [undefined, "Bearer", `Basic ${ownerToken}`, "Bearer pawl_unknown", `Bearer ${another.token}`]
    for (const authorization of [...strangers, `Bearer ${writes}`]) {
      const told = await said("full", authorization === undefined ? {} : { authorization })
      expect(told?.body).not.toHaveProperty("promotion")
      expect(told?.text).not.toMatch(people)
    }
  })
})
