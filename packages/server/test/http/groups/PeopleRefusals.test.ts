/** Refusals about members and tokens, met over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const put = (path: string, members: ReadonlyArray<unknown>, ask = {}) =>
  api.call("PUT", path, { body: { members }, ...ask })

describe("Members", () => {
  it("are replaced at once, by entries that name users once", async () => {
    const project = await newProject(api, "people")
    const path = `/v1/projects/${project.id}/members`
    const one = await newUser(api, "One")
    const entry = { userId: one.id, role: "viewer" }
    expectProblem(await put(path, [{ ...entry, userId: "usr_none" }]), 400, "invalid_field", {
      field: "members.0.userId"
    })
    expectProblem(await put(path, [entry, { ...entry, role: "admin" }]), 400, "invalid_field", {
      field: "members.1.userId"
    })
    expectProblem(await put(path, [{ ...entry, role: "king" }]), 400, "invalid_field", { field: "members.0.role" })
    expect((await put(path, [entry])).body).toEqual({
      items: [{ projectId: project.id, userId: one.id, role: "viewer", name: "One" }],
      nextCursor: null
    })
    const ask = { token: one.token }
    expect((await api.call("GET", `/v1/projects/${project.id}`, ask)).status).toBe(200)
    expect((await api.call("GET", "/v1/projects", ask)).body.items).toMatchObject([{ id: project.id }])
    expect((await api.call("GET", "/v1/me", ask)).body.memberships).toEqual([{ ...entry, projectId: project.id }])
    await put(path, [])
    expect((await api.call("GET", `/v1/projects/${project.id}`, ask)).status).toBe(404)
    expect((await api.call("GET", "/v1/projects", ask)).body).toEqual({ items: [], nextCursor: null })
  })

  it("of an organization keep one owner, and have the role member on its Projects unless an entry says otherwise", async () => {
    const project = `/v1/projects/${(await newProject(api, "shared")).id}`
    const { id } = (await api.call("GET", "/v1/organizations")).body.items[0]
    const organization = `/v1/organizations/${id}/members`
    const owner = (await api.call("GET", "/v1/me")).body.user.id
    const one = await newUser(api, "Colleague", id)
    const ask = { token: one.token }
    expectProblem(await put(organization, [{ userId: owner, role: "member" }]), 400, "owner_required")
    expectProblem(await put(organization, [], ask), 403, "insufficient_role", { needed: "owner" })
    expect((await api.call("GET", organization, ask)).body.items).toMatchObject([
      { name: "Owner" },
      { name: "Colleague", role: "member" }
    ])
    expect((await api.call("POST", `${project}/app`, ask)).status).toBe(202)
    await put(`${project}/members`, [{ userId: one.id, role: "viewer" }])
    const weak = await api.call("POST", `${project}/app`, ask)
    expectProblem(weak, 403, "insufficient_role", { held: "viewer", needed: "member" })
    await put(organization, [{ userId: owner, role: "owner" }])
    await put(`${project}/members`, [])
    expectProblem(await api.call("GET", project, ask), 404, "unknown_project")
  })
})

describe("Tokens", () => {
  const issue = (body: unknown, ask = {}) => api.call("POST", "/v1/tokens", { ...ask, body })

  it("are shown once, can do no more than the one that asked, and end when they are revoked", async () => {
    const narrow = (await issue({ name: "narrow", scopes: ["read", "admin"], expiresAt: "2999-01-01T01:00:00+01:00" }))
      .body
    expect(narrow.token).toMatch(/^pawl_[A-Za-z0-9_-]{43}$/)
    const ask = { token: narrow.token as string }
    const wide = await issue({ name: "wide", scopes: ["read", "promote"] }, ask)
    expectProblem(wide, 403, "scope_exceeds_token", { beyond: ["promote"] })
    expectProblem(await issue({ name: "later", expiresAt: "3000-01-01T00:00:00Z" }, ask), 403, "scope_exceeds_token", {
      endsAt: "2999-01-01T00:00:00.000Z"
    })
    for (const expiresAt of ["2000-01-01T00:00:00Z", "tomorrow", 7])
      expectProblem(await issue({ name: "odd", expiresAt }, ask), 400, "invalid_field", { field: "expiresAt" })
    for (const scopes of [[], ["king"]])
      expect((await issue({ name: "odd", scopes }, ask)).body.code).toBe("invalid_field")
    const child = (await issue({ name: "child" }, ask)).body
    const listing = await api.call("GET", "/v1/tokens")
    const shown = listing.body.items.find((each: { id: string }) => each.id === child.id)
    expect(shown).toMatchObject({ scopes: ["read", "admin"], expiresAt: "2999-01-01T00:00:00.000Z", revokedAt: null })
    expect(listing.text).not.toMatch(/hash|pawl_/)
    expect((await api.call("DELETE", `/v1/tokens/${narrow.id}`)).body).toMatchObject({ id: narrow.id })
    expectProblem(await api.call("GET", "/v1/me", ask), 401, "unauthenticated", { reason: "revoked" })
    const thief = await newUser(api, "Thief")
    expectProblem(await api.call("DELETE", `/v1/tokens/${child.id}`, { token: thief.token }), 404, "unknown_token")
  })
})
