/** People leave: what they had in an organization ends with the next request, and so does what is open. */
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, newUser, source, startApi } from "../TestApi.ts"

let api: Api
let owner: string
beforeAll(async () => {
  api = await startApi()
  owner = (await api.call("GET", "/v1/me")).body.user.id
})
afterAll(() => api.close())

const members = `/v1/organizations/${firstOrganizationId}/members`
/** The owner alone stays. */
const removeAll = () => api.call("PUT", members, { body: { members: [{ userId: owner, role: "owner" }] } })

const eventStream = { accept: "text/event-stream" }
/** An open stream, read until it ends. */
const streamOf = async (path: string, token: string) => {
  const answer = await api.send("GET", path, { token, headers: eventStream })
  expect(answer.status).toBe(200)
  const reader = answer.body!.getReader()
  // The first bytes: it is open.
  expect((await reader.read()).done).toBe(false)
  const toTheEnd = async (): Promise<string> => {
    for (;;) if ((await reader.read()).done) return "ended"
  }
  return { ended: toTheEnd() }
}
const streamsOf = (projectId: string, token: string) =>
  Promise.all(["events", "history", "app/logs"].map((what) => streamOf(`/v1/projects/${projectId}/${what}`, token)))
const ends = (streams: Awaited<ReturnType<typeof streamsOf>>) => Promise.all(streams.map(({ ended }) => ended))

describe("Who is removed from an organization", () => {
  it("loses at once all of a Project that they created: reading, writing, webhooks, approving, promoting and open streams", async () => {
    const person = await newUser(api, "Person", firstOrganizationId)
    const { token } = person
    const made = await api.call("POST", "/v1/projects", { token, body: { slug: "theirs", files: source } })
    const { id } = made.body.project
    await api.settle()
    const { candidateId, changeId } = await newCandidate(api, id, "r1", { "a.txt": "new" })
    const open = await streamsOf(id, token)
    expect((await api.call("PUT", `/v1/projects/${id}/policy`, { token, body: {} })).status).toBe(200)
    expect((await removeAll()).status).toBe(200)
    expect(await ends(open)).toEqual(["ended", "ended", "ended"])
    const unknown = "unknown_project"
    expectProblem(await api.call("GET", `/v1/projects/${id}`, { token }), 404, unknown)
    expectProblem(await api.call("PUT", `/v1/projects/${id}/policy`, { token, body: {} }), 404, unknown)
    const hook = { url: "https://receiver.example/" }
    expectProblem(await api.call("POST", `/v1/projects/${id}/webhooks`, { token, body: hook }), 404, unknown)
    const decision = { candidateId, decision: "granted" }
    expectProblem(
      await api.call("POST", `/v1/changes/${changeId}/approve`, { token, body: decision }),
      404,
      "unknown_change"
    )
    expectProblem(await api.call("POST", `/v1/candidates/${candidateId}/promote`, { token }), 404, "unknown_candidate")
    const listed = await api.call("GET", `/v1/projects/${id}/members`)
    expect(listed.body.items).toEqual([])
    expect((await api.call("GET", "/v1/me", { token })).body).toMatchObject({ memberships: [], organizations: [] })
    expect((await api.call("GET", "/v1/projects", { token })).body.items).toEqual([])

    // An admin may let them in again.
    const back = { members: [{ userId: person.id, role: "viewer" }] }
    const answer = await api.call("PUT", `/v1/projects/${id}/members`, { body: back })
    expect(answer.body.items).toEqual([{ projectId: id, userId: person.id, role: "viewer", name: "Person" }])
    expect((await api.call("GET", `/v1/projects/${id}`, { token })).status).toBe(200)
  })
})

describe("A user who is disabled", () => {
  it("is let in by no token, and their open streams end", async () => {
    const person = await newUser(api, "Ended", firstOrganizationId)
    const { token } = person
    const project = await newProject(api, "ours")
    const second = (await api.call("POST", "/v1/tokens", { token, body: { name: "second" } })).body.token
    const open = await streamsOf(project.id, token)
    const listed = async () => (await api.call("GET", `/v1/users?organizationId=${firstOrganizationId}`)).body.items
    expect(await listed()).toMatchObject([
      { name: "Owner", role: "owner" },
      { id: person.id, role: "member" }
    ])
    const answer = await api.call("DELETE", `/v1/users/${person.id}`)
    expect(answer).toMatchObject({ status: 202, body: { user: { id: person.id, name: "Ended" } } })
    expect(answer.body.user.disabledAt).toMatch(/^20/)
    expect(await ends(open)).toEqual(["ended", "ended", "ended"])
    for (const each of [token, second])
      expectProblem(await api.call("GET", "/v1/me", { token: each }), 401, "unauthenticated", { reason: "disabled" })
    expect(await listed()).toHaveLength(1)
    // Safe to repeat.
    expect((await api.call("DELETE", `/v1/users/${person.id}`)).body).toEqual(answer.body)
    expectProblem(
      await api.call("PUT", `/v1/projects/${project.id}/members`, {
        body: { members: [{ userId: person.id, role: "viewer" }] }
      }),
      400,
      "invalid_field"
    )
  })

  it("is disabled by their own owners only, with a token that may", async () => {
    const person = await newUser(api, "Wanted", firstOrganizationId)
    const other = await newUser(api, "Other", firstOrganizationId)
    const path = `/v1/users/${person.id}`
    expectProblem(await api.call("DELETE", path, { token: other.token }), 403, "insufficient_role")
    const scopes = ["read", "write", "approve", "promote"]
    const weak = (await api.call("POST", "/v1/tokens", { body: { name: "weak", scopes } })).body.token
    expectProblem(await api.call("DELETE", path, { token: weak }), 403, "insufficient_scope")
    const mine = await api.call("POST", "/v1/organizations", { token: person.token, body: { name: "Mine" } })
    expect(mine.body.organization).toEqual({ ...mine.body.organization, name: "Mine", role: "owner" })
    const mixed = [
      { userId: person.id, role: "owner" },
      { userId: other.id, role: "member" }
    ]
    const body = { members: mixed }
    const members = `/v1/organizations/${mine.body.organization.id}/members`
    expect((await api.call("PUT", members, { token: person.token, body })).status).toBe(200)
    const others = `/v1/users/${other.id}`
    expectProblem(await api.call("DELETE", others, { token: person.token }), 403, "belongs_elsewhere", {
      userId: other.id
    })
    expectProblem(await api.call("DELETE", `/v1/users/${owner}`), 409, "last_owner", {
      organizationId: firstOrganizationId
    })
    expect((await api.call("GET", "/v1/me", { token: person.token })).status).toBe(200)
    // An organization of their own keeps nobody, and no one put into it, from their owner.
    for (const each of [person, other])
      expect((await api.call("DELETE", `/v1/users/${each.id}`)).body.user.disabledAt).toMatch(/^20/)
    await removeAll()
  })
})

describe("The tokens of an organization's people", () => {
  it("are listed and revoked by an owner, and by nobody beside them and their user", async () => {
    const person = await newUser(api, "Careless", firstOrganizationId)
    const other = await newUser(api, "Curious", firstOrganizationId)
    const { token } = person
    const leaked = (await api.call("POST", "/v1/tokens", { token, body: { name: "leaked" } })).body
    const path = `/v1/users/${person.id}/tokens`
    const listed = await api.call("GET", path)
    expect(listed.body.items.map(({ name }: { name: string }) => name)).toEqual(["first token", "leaked"])
    expect(listed.text).not.toMatch(/hash|pawl_/)
    expect((await api.call("GET", path, { token })).body).toEqual(listed.body)
    expectProblem(await api.call("GET", path, { token: other.token }), 403, "insufficient_role")
    const one = `/v1/tokens/${leaked.id}`
    expectProblem(await api.call("DELETE", one, { token: other.token }), 404, "unknown_token")
    expect((await api.call("DELETE", one)).body).toMatchObject({ id: leaked.id })
    expectProblem(await api.call("GET", "/v1/me", { token: leaked.token }), 401, "unauthenticated", {
      reason: "revoked"
    })
    expect((await api.call("GET", "/v1/me", { token })).status).toBe(200)
    const pages = await api.call("GET", `${path}?limit=1`)
    const next = await api.call("GET", `${path}?limit=1&cursor=${pages.body.nextCursor}`)
    expect([pages.body.items[0].name, next.body.items[0].name]).toEqual(["first token", "leaked"])
  })
})
