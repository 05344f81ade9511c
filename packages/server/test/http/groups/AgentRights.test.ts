/** What somebody with the credentials of an agent may not do. An agent's token never holds more than these scopes. */
import { endpoints } from "@pawl/server/http/index"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

/** Decisions, "More that clients rely on": neither `approve` nor `promote`, and what administers is for people. */
const scopes = ["read", "write"]

/** Everything that approves, promotes, or settles who and what governs: by the scope that each needs. */
const forPeople = {
  approve: ["approvals.approve"],
  promote: ["candidates.promote", "lane.land", "lane.leave", "lane.pause", "lane.resume"],
  admin: [
    "account.issueToken",
    "account.revokeToken",
    "approvers.enrol",
    "approvers.remove",
    "apps.remove",
    "deviceAnswers.confirm",
    "lane.move",
    "members.put",
    "organizations.create",
    "organizations.putMembers",
    "policies.backtest",
    "policies.put",
    "projects.archive",
    "releases.deleteTarget",
    "releases.putTarget",
    "sessions.link",
    "sessions.revoke",
    "users.create",
    "users.disable",
    "webhooks.change",
    "webhooks.create",
    "webhooks.ping",
    "webhooks.redeliver",
    "webhooks.remove",
    "webhooks.rotateSecret"
  ]
}

/** What an agent's token may write, each looked at: nothing of it approves, promotes, or touches Policy, members or tokens. */
const forAgents = [
  "apps.deploy",
  "audits.rebuild",
  "audits.run",
  "candidates.create",
  "changes.budget",
  "changes.cancel",
  "changes.create",
  "changesets.create",
  "deadLetters.dismiss",
  "deadLetters.retry",
  "outside.askChecks",
  "outside.claim",
  "outside.claimPaths",
  "outside.giveUp",
  "outside.publish",
  "outside.renew",
  "projects.create",
  "projects.source",
  "releases.injectFailure",
  "rollbacks.create",
  "rollbacks.plan",
  "tasks.handOver",
  "tasks.retry",
  "tasks.stop",
  "tasks.writeNote"
]

describe("An agent's token", () => {
  let api: Api
  let token: string
  let project: string
  let candidateId: string
  let changeId: string
  beforeAll(async () => {
    api = await startApi()
    project = (await newProject(api, "ours")).id
    const tiers = ["low", "medium", "high", "unknown"]
    await api.call("PUT", `/v1/projects/${project}/policy`, { body: { approvalRiskTiers: tiers } })
    const made = await newCandidate(api, project, "r", { "a.txt": "a" })
    candidateId = made.candidateId
    changeId = made.changeId
    token = (await api.call("POST", "/v1/tokens", { body: { name: "agent", scopes } })).body.token
  })
  afterAll(() => api.close())

  const guarded = endpoints.filter(({ need }) => need !== null)

  it.each(Object.entries(forPeople).flatMap(([scope, names]) => names.map((name) => [name, scope] as const)))(
    "is refused by %s, which needs the scope %s",
    async (name, scope) => {
      const endpoint = guarded.find((each) => each.name === name)
      expect(endpoint?.need?.scope).toBe(scope)
      const path = endpoint?.path.replace(":id", endpoint.path.startsWith("/v1/candidates") ? candidateId : project)
      const answer = await api.call(endpoint?.method ?? "", path ?? "", { token, body: {} })
      expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope", needed: scope, held: scopes } })
    }
  )

  it("writes what was looked at, and nothing else", () => {
    const writes = guarded.filter(({ method }) => method !== "GET")
    const own = writes.filter(({ need }) => scopes.includes(need?.scope ?? "")).map(({ name }) => name)
    expect(own.toSorted()).toEqual(forAgents)
    expect([...own, ...Object.values(forPeople).flat()].toSorted()).toEqual(writes.map(({ name }) => name).toSorted())
  })

  it("decides on nothing, takes nothing live, and makes itself no wider token", async () => {
    const ask = (method: string, path: string, body: unknown) => api.call(method, path, { token, body })
    const asked = [
      await ask("POST", `/v1/changes/${changeId}/approve`, { candidateId, decision: "granted" }),
      await ask("POST", `/v1/candidates/${candidateId}/promote`, {}),
      await ask("PUT", `/v1/projects/${project}/policy`, { approvalRiskTiers: [] }),
      await ask("PUT", `/v1/projects/${project}/members`, { members: [] }),
      await ask("POST", "/v1/tokens", { name: "wider" })
    ]
    expect(asked.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect((await api.call("GET", `/v1/changes/${changeId}/approvals`)).body.items).toEqual([])
    expect((await api.call("GET", `/v1/projects/${project}`)).body.canonical.generation).toBe(0)
    expect((await api.call("GET", `/v1/projects/${project}/policy`)).body.policy.version).toBe(2)
  })
})
