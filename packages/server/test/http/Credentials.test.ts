/** Every endpoint that makes a credential, in one list: none gives more than the token that asks has. */
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { openApiDocument } from "@pawl/server/api/index"
import { endpoints } from "@pawl/server/http/index"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "./ExpectProblem.ts"
import { operationsOf } from "./Operations.ts"
import { type Answer, type Api, newProject, newUser, startApi } from "./TestApi.ts"

interface Making {
  /**
   * Whether what it makes lets its bearer in; `task` for on one Task alone (`Outside.test.ts` has what holds of that).
   * Other secrets are signed with, and open nothing.
   */
  readonly letsIn: boolean | "task"
  readonly path: (ids: Ids) => string
  readonly body?: object
}

interface Ids {
  readonly project: string
  readonly webhook: string
}

/** An endpoint that answers a credential and is missing here fails the suite. */
const making: Readonly<Record<string, Making>> = {
  "account.issueToken": { letsIn: true, path: () => "/v1/tokens", body: { name: "made" } },
  "users.create": {
    letsIn: true,
    path: () => "/v1/users",
    body: { name: "made", organizationId: firstOrganizationId }
  },
  "webhooks.create": {
    letsIn: false,
    path: ({ project }) => `/v1/projects/${project}/webhooks`,
    body: { url: "https://receiver.example/made" }
  },
  "outside.claim": { letsIn: "task", path: () => "/v1/tasks/:id/claim" },
  "webhooks.rotateSecret": { letsIn: false, path: ({ webhook }) => `/v1/webhooks/${webhook}/rotate-secret` }
}
/** Gives what a person gave who had it: `groups/Devices.test.ts` holds that it is no more. */
const byPeople = ["POST /v1/device/token"]
/** Lets a browser in with what the token has that asks: `groups/Sessions.test.ts` holds that it is no more. */
const byLink = ["POST /v1/sessions/link"]
const lettingIn = Object.entries(making).filter(([, { letsIn }]) => letsIn === true)
const signing = Object.entries(making).filter(([, { letsIn }]) => letsIn === false)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** WebAuthn calls a passkey's id `credential`: whoever has it can sign nothing. */
const credential = /token$|secret|password|credentials|cookie|apikey|privatekey|session|^link$/i

/** Whether a part of the document has a text by a name as credentials have. What it refers to is followed once. */
const answersCredential = (part: unknown, seen: ReadonlySet<string> = new Set()): boolean => {
  if (Array.isArray(part)) return part.some((each) => answersCredential(each, seen))
  if (!isObject(part)) return false
  const reference = part["$ref"]
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? ""
    return !seen.has(name) && answersCredential(schemas[name], new Set([...seen, name]))
  }
  const named = Object.entries(isObject(part["properties"]) ? part["properties"] : {})
  return (
    named.some(([name, value]) => credential.test(name) && isObject(value) && value["type"] === "string") ||
    Object.values(part).some((each) => answersCredential(each, seen))
  )
}

const schemas: Readonly<Record<string, unknown>> = openApiDocument.components.schemas

/** `METHOD /path` of each endpoint whose good answers hold a credential. */
const answering = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
  operationsOf(methods).flatMap(([method, operation]) => {
    const good = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
    return answersCredential(good.map(([, response]) => response))
      ? [`${method.toUpperCase()} ${path.replace("{id}", ":id")}`]
      : []
  })
)

let api: Api
let ids: Ids
beforeAll(async () => {
  api = await startApi()
  const project = (await newProject(api, "secrets")).id
  const made = await api.call("POST", `/v1/projects/${project}/webhooks`, {
    body: { url: "https://receiver.example/" }
  })
  ids = { project, webhook: made.body.webhook.id }
})
afterAll(() => api.close())

const ask = (name: string, token: string, more: object = {}): Promise<Answer> => {
  const { body, path } = making[name]!
  return api.call("POST", path(ids), { token, ...(body === undefined ? {} : { body: { ...body, ...more } }) })
}
const narrow = async (scopes: ReadonlyArray<string>, expiresAt?: string): Promise<string> =>
  (await api.call("POST", "/v1/tokens", { body: { name: "narrow", scopes, ...(expiresAt ? { expiresAt } : {}) } })).body
    .token
const me = async (token: string) => (await api.call("GET", "/v1/me", { token })).body.token

const end = "2999-01-01T00:00:00.000Z"
const all = ["read", "write", "approve", "promote", "admin"]

describe("Every endpoint that makes a credential", () => {
  it("is in the list", () => {
    const named = endpoints.filter(({ name }) => name in making).map(({ method, path }) => `${method} ${path}`)
    expect(answering.toSorted()).toEqual([...byPeople, ...byLink, ...named].toSorted())
    expect(named.length).toBe(Object.keys(making).length)
  })

  it("asks for a token with the scope admin, where what it makes reaches beyond one Task", async () => {
    const token = await narrow(all.filter((scope) => scope !== "admin"))
    for (const [name] of [...lettingIn, ...signing]) expectProblem(await ask(name, token), 403, "insufficient_scope")
  })

  it.each(signing)("makes what is no way in, where it is to sign with: %s", async (name) => {
    const { body } = await ask(name, await narrow(["admin"]))
    expect(body.secret).toMatch(/^whsec_/)
    expectProblem(await api.call("GET", "/v1/me", { token: body.secret }), 401, "unauthenticated")
  })

  describe.each(lettingIn)("%s", (name) => {
    it("gives no scope that the token that asks lacks", async () => {
      const token = await narrow(["read", "admin"])
      for (const scope of ["write", "approve", "promote"])
        expectProblem(await ask(name, token, { scopes: ["read", scope] }), 403, "scope_exceeds_token", {
          beyond: [scope],
          endsAt: null
        })
      expect((await ask(name, token, { scopes: ["read"] })).status).toBe(201)
    })

    it("gives no end after that of the token that asks", async () => {
      const token = await narrow(all, end)
      expectProblem(await ask(name, token, { expiresAt: "2999-01-01T00:00:00.001Z" }), 403, "scope_exceeds_token", {
        beyond: [],
        endsAt: end
      })
      const same = await ask(name, token, { expiresAt: end })
      expect((await me(same.body.token)).expiresAt).toBe(end)
      const earlier = "2998-01-01T00:00:00.000Z"
      expect((await me((await ask(name, token, { expiresAt: earlier })).body.token)).expiresAt).toBe(earlier)
    })

    it("gives by itself the scopes and the end of the token that asks, and what that makes has no more", async () => {
      const token = await narrow(["read", "admin"], end)
      const first = (await ask(name, token)).body.token
      expect(await me(first)).toMatchObject({ scopes: ["read", "admin"], expiresAt: end })
      const next = await api.call("POST", "/v1/tokens", { token: first, body: { name: "next" } })
      expect(await me(next.body.token)).toMatchObject({ scopes: ["read", "admin"], expiresAt: end })
    })

    it("takes no end that has passed, and no empty list of scopes", async () => {
      const token = await narrow(all)
      const past = await ask(name, token, { expiresAt: "2000-01-01T00:00:00Z" })
      expectProblem(past, 400, "invalid_field", { field: "expiresAt" })
      expectProblem(await ask(name, token, { scopes: [] }), 400, "invalid_field", { field: "scopes" })
    })
  })
})

describe("Making an owner", () => {
  const members = `/v1/organizations/${firstOrganizationId}/members`

  it("takes all scopes, whether the owner is new or was a member", async () => {
    const member = await newUser(api, "Member", firstOrganizationId)
    const before = (await api.call("GET", members)).body.items as ReadonlyArray<{ userId: string; role: string }>
    const raised = before.map(({ userId, role }) => ({ userId, role: userId === member.id ? "owner" : role }))
    for (const missing of all.filter((scope) => scope !== "admin")) {
      const token = await narrow(all.filter((scope) => scope !== missing))
      const made = await api.call("POST", "/v1/users", {
        token,
        body: { name: "King", organizationId: firstOrganizationId, role: "owner" }
      })
      expectProblem(made, 403, "scope_exceeds_token", { beyond: [missing] })
      const put = await api.call("PUT", members, { token, body: { members: raised } })
      expectProblem(put, 403, "scope_exceeds_token", { beyond: [missing] })
      // The list as it is makes nobody an owner.
      const same = before.map(({ userId, role }) => ({ userId, role }))
      expect((await api.call("PUT", members, { token, body: { members: same } })).status).toBe(200)
    }
    expect((await api.call("GET", members)).body.items).toEqual(before)
    expect((await api.call("PUT", members, { body: { members: raised } })).status).toBe(200)
  })
})
