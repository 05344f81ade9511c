/** What a caller may do, told before it is tried: held against what each endpoint then answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"

let api: Api
let project: string
beforeAll(async () => {
  api = await startApi()
  project = (await newProject(api, "capable")).id
})
afterAll(() => api.close())

interface Capability {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly may: boolean
  readonly reason: string | null
}

const capabilities = async (token?: string, projectId: string | null = project) => {
  const path = projectId === null ? "/v1/me/capabilities" : `/v1/me/capabilities?projectId=${projectId}`
  const answer = await api.call("GET", path, token === undefined ? {} : { token })
  expect(answer.status).toBe(200)
  return answer.body as {
    readonly projectId: string | null
    readonly role: string | null
    readonly items: ReadonlyArray<Capability>
  }
}
const of = (items: ReadonlyArray<Capability>, name: string) => items.find(({ operation }) => operation === name)

describe("GET /v1/me/capabilities", () => {
  it("says of each operation on a Project what calling it says: by role, and by the scopes of the token", async () => {
    const viewer = await newUser(api, "Viewer")
    const member = await newUser(api, "Member")
    const entries = [
      { userId: viewer.id, role: "viewer" },
      { userId: member.id, role: "member" }
    ]
    await api.call("PUT", `/v1/projects/${project}/members`, { body: { members: entries } })
    const reading = await api.call("POST", "/v1/tokens", { body: { name: "reads", scopes: ["read"] } })
    const callers = [viewer.token, member.token, reading.body.token as string]
    const denied: Array<number> = []
    for (const token of callers) {
      const { items } = await capabilities(token)
      const here = items.filter(({ path }) => path.startsWith("/v1/projects/:id") && !path.includes(":n"))
      expect(here.length).toBeGreaterThan(20)
      for (const { may, method, path, reason } of here) {
        // Who may is not let in here with a body that is none; who may not is told so before it is read.
        const bad = method === "GET" ? {} : { body: "{" }
        if (may && path.endsWith("/events")) continue
        const answer = await api.call(method, path.replace(":id", project), { token, ...bad })
        const isRefused = ["insufficient_role", "insufficient_scope"].includes(answer.body?.code)
        expect([method, path, !isRefused]).toEqual([method, path, may])
        if (!may) expect(answer.body.detail).toBe(reason)
      }
      denied.push(here.filter(({ may }) => !may).length)
    }
    expect(denied.every((each) => each > 0)).toBe(true)
  })

  it("names the role, and why not in words", async () => {
    const one = await newUser(api, "Watcher")
    await api.call("PUT", `/v1/projects/${project}/members`, {
      body: { members: [{ userId: one.id, role: "viewer" }] }
    })
    const { items, projectId, role } = await capabilities(one.token)
    expect([projectId, role]).toEqual([project, "viewer"])
    expect(of(items, "candidates.promote")).toEqual({
      operation: "candidates.promote",
      method: "POST",
      path: "/v1/candidates/:id/promote",
      may: false,
      reason: "This needs the role member; yours is viewer."
    })
    expect(of(items, "projects.get")).toMatchObject({ may: true, reason: null })
    expect(of(items, "account.me")).toBeUndefined()
  })

  it("without a Project is of all that is on none, and a Project that one may not see does not exist", async () => {
    const stranger = await newUser(api, "Stranger")
    const { items, projectId, role } = await capabilities(stranger.token, null)
    expect([projectId, role]).toEqual([null, null])
    expect(of(items, "account.me")).toMatchObject({ may: true })
    expect(of(items, "candidates.promote")).toBeUndefined()
    for (const id of [project, "prj_none", ""]) {
      const asked = await api.call("GET", `/v1/me/capabilities?projectId=${id}`, { token: stranger.token })
      expectProblem(asked, 404, "unknown_project")
    }
  })
})
