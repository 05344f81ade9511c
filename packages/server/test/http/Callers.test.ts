/** Every endpoint of the contract, called by everyone who may not. The list is the contract's own. */
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { openApiDocument } from "@pawl/server/api/index"
import { type Endpoint, endpoints } from "@pawl/server/http/index"
import { type Ids, samples, target } from "./CallerSamples.ts"
import { newPasskey } from "@pawl/testing/tools/SoftwareAuthenticator"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { deadLetterOf, expiredToken, laneEntryOf, releaseOf } from "./CallerFixtures.ts"
import { operationsOf } from "./Operations.ts"
import { type Answer, type Api, newCandidate, newProject, newUser, ownerToken, startApi } from "./TestApi.ts"

const guarded = endpoints.filter((endpoint) => endpoint.need !== null)
const withRole = guarded.filter((endpoint) => endpoint.need?.role !== null)
const withBody = guarded.filter((endpoint) => samples[endpoint.name]?.body !== undefined)
const withPages = guarded.filter((endpoint) => endpoint.method === "GET" && samples[endpoint.name]?.id !== undefined)

const pathOf = (to: Endpoint, id: string) => to.path.replace(":id", encodeURIComponent(id)).replace(":n", "0")

/** Their answers are made when they are asked for: with another signature, or the time to go on from. */
const madeAnew: ReadonlyArray<string> = ["inbox.changesOfState", "projects.vsa"]

/** A text of an answer without the moment at which it was given, and without the queue, whose commands become due by themselves. */
const timeless = (text: string): string =>
  text.replace(/"after":[0-9]+/, '"after":0').replace(/"queue":\[[^\]]*\]/, '"queue":[]')

/** Not JSON, and JSON of no endpoint. */
const malformed = ["{", "7"]

describe("The wrong caller", () => {
  let api: Api
  let ids: Ids
  let viewer: string
  let member: string
  let colleague: string
  let outsider: string
  let expired: string
  let revoked: string

  const idOf = (endpoint: Endpoint): string => {
    const key = samples[endpoint.name]?.id
    return key === undefined ? "" : ids[key]
  }
  const ask = (endpoint: Endpoint, token: string | null, id = idOf(endpoint)): Promise<Answer> => {
    const sample = samples[endpoint.name] ?? {}
    return api.call(endpoint.method, pathOf(endpoint, id), {
      token,
      ...(sample.body === undefined ? {} : { body: sample.body(ids) })
    })
  }
  const askBadly = (endpoint: Endpoint, token: string | null, body: string): Promise<Answer> =>
    api.call(endpoint.method, pathOf(endpoint, idOf(endpoint)), { token, body })
  /** One for each scope: a user has so many live tokens, and no more. */
  const withoutScope = new Map<string, string>()
  const tokenWithout = async (scope: string): Promise<string> => {
    const known = withoutScope.get(scope)
    if (known !== undefined) return known
    const scopes = ["read", "write", "approve", "promote", "admin"].filter((each) => each !== scope)
    const { body } = await api.call("POST", "/v1/tokens", { body: { name: `no ${scope}`, scopes } })
    withoutScope.set(scope, body.token)
    return body.token
  }
  /** All that can be read of the installation, as its owner sees it. */
  const everything = async (): Promise<ReadonlyArray<unknown>> => {
    const moves = ["account.tokens", "changes.workGraph", ...madeAnew]
    const reading = guarded.filter((endpoint) => endpoint.method === "GET" && !moves.includes(endpoint.name))
    return Promise.all(
      reading.map(async (endpoint) => [endpoint.name, timeless((await ask(endpoint, ownerToken)).text)])
    )
  }

  beforeAll(async () => {
    api = await startApi()
    const project = await newProject(api, "ours")
    const bare = await api.call("POST", "/v1/projects", { body: { slug: "bare" } })
    const made = await newCandidate(api, project.id, "r1", { "a.txt": "new" })
    const evidence = await api.call("GET", `/v1/candidates/${made.candidateId}/evidence`)
    const token = await api.call("POST", "/v1/tokens", { body: { name: "to keep" } })
    await api.call("POST", `/v1/projects/${project.id}/audit`)
    const webhook = await api.call("POST", `/v1/projects/${project.id}/webhooks`, {
      body: { url: "https://receiver.example/kept" }
    })
    const ping = await api.call("POST", `/v1/webhooks/${webhook.body.webhook.id}/ping`)
    const me = await api.call("GET", "/v1/me")
    const owners = await Effect.runPromise(newPasskey("pawl.test"))
    const enrolled = { credential: owners.credential, publicKey: owners.publicKey, rpId: owners.rpId }
    await api.call("POST", "/v1/approvers", { body: enrolled })
    const watching = await newUser(api, "Viewer")
    const working = await newUser(api, "Member")
    outsider = (await newUser(api, "Outsider")).token
    colleague = (await newUser(api, "Colleague", firstOrganizationId)).token
    viewer = watching.token
    member = working.token
    const members = [
      { userId: watching.id, role: "viewer" },
      { userId: working.id, role: "member" }
    ]
    for (const id of [project.id, bare.body.project.id])
      await api.call("PUT", `/v1/projects/${id}/members`, { body: { members } })
    await api.call("PUT", `/v1/projects/${project.id}/release-target`, { body: target })
    await api.call("POST", "/v1/session", { token: null, body: { token: ownerToken }, headers: { host: "localhost" } })
    const sessions = await api.call("GET", "/v1/sessions")
    ids = {
      project: project.id,
      bare: bare.body.project.id,
      change: made.changeId,
      task: `tsk_${made.changeId}_edit-1`,
      run: made.changeSetId.slice("cs_".length),
      changeSet: made.changeSetId,
      candidate: made.candidateId,
      evidence: evidence.body.items[0].id,
      webhook: webhook.body.webhook.id,
      webhookDelivery: ping.body.delivery.id,
      deadLetter: await api.run(deadLetterOf(project.id)),
      laneEntry: await api.run(laneEntryOf(project.id, made.changeId)),
      release: await api.run(releaseOf(made.candidateId)),
      token: token.body.id,
      session: sessions.body.items[0].id,
      organization: firstOrganizationId,
      user: watching.id,
      approver: owners.credential
    }
    expired = await api.run(expiredToken(me.body.user.id))
    const gone = await api.call("POST", "/v1/tokens", { body: { name: "gone" } })
    await api.call("DELETE", `/v1/tokens/${gone.body.id}`)
    revoked = gone.body.token
  })
  afterAll(() => api.close())

  it("is tried at every endpoint of the contract", () => {
    expect(Object.keys(samples).sort()).toEqual(endpoints.map((endpoint) => endpoint.name).sort())
    expect(guarded.length).toBe(endpoints.length - 12)
  })

  it("could have been right: the owner is refused nowhere", async () => {
    const reading = guarded.filter((endpoint) => endpoint.method === "GET" && endpoint.name !== "changes.workGraph")
    for (const endpoint of reading)
      expect([endpoint.name, (await ask(endpoint, ownerToken)).status]).toEqual([endpoint.name, 200])
  })

  it("is answered the same by either way to a handler, as the right one is", async () => {
    const headers = { "x-request-id": "the-same-for-both" }
    const told = async (path: string, token: string | null) => {
      const answer = await api.call("GET", path, { token, headers })
      return [path.split("?", 1)[0], answer.status, timeless(answer.text), [...answer.headers]]
    }
    const reading = guarded.filter(({ method, name }) => method === "GET" && !madeAnew.includes(name))
    for (const endpoint of reading)
      for (const token of [ownerToken, member, outsider, null, "pawl_nobody", revoked])
        for (const id of [idOf(endpoint), "nothing"]) {
          const path = pathOf(endpoint, id)
          // What has a query goes the library's way, and no endpoint knows this one.
          expect(await told(path, token)).toEqual(await told(`${path}?nothing=1`, token))
        }
  })

  it("learns nothing and changes nothing", async () => {
    const before = await everything()
    for (const endpoint of guarded) {
      for (const token of [null, "pawl_nobody", expired, revoked]) await ask(endpoint, token)
      if (endpoint.need?.role !== null) await ask(endpoint, outsider)
      if (endpoint.need?.role === "member" || endpoint.need?.role === "admin") await ask(endpoint, viewer)
      if (endpoint.need?.role === "admin") await ask(endpoint, member)
    }
    expect(await everything()).toEqual(before)
  })

  describe.each(guarded)("$method $path", (endpoint) => {
    it("answers 401 without credentials, and with ones that do not count", async () => {
      const reasons = [
        [null, "missing"],
        ["pawl_nobody", "unknown"],
        [expired, "expired"],
        [revoked, "revoked"]
      ] as const
      for (const [token, reason] of reasons) {
        const answer = await ask(endpoint, token)
        expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated", reason } })
        expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm="pawl"/)
      }
    })

    it("answers 403 to a token without the scope", async () => {
      const answer = await ask(endpoint, await tokenWithout(endpoint.need?.scope ?? ""))
      expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope", needed: endpoint.need?.scope } })
    })
  })

  it("is tried with a malformed body at every endpoint that takes one", () => {
    const open = new Set(endpoints.filter(({ need }) => need === null).map(({ path }) => path))
    const taking = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
      operationsOf(methods).flatMap(([method, { requestBody }]) =>
        requestBody === undefined || open.has(path) ? [] : [`${method.toUpperCase()} ${path.replace("{id}", ":id")}`]
      )
    )
    expect(withBody.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(taking.sort())
  })

  describe.each(withBody)("$method $path with a malformed body", (endpoint) => {
    it("is told what is wrong with the caller, not with the body", async () => {
      const unscoped = await tokenWithout(endpoint.need?.scope ?? "")
      const { id } = samples[endpoint.name] ?? {}
      const role = endpoint.need?.role
      for (const body of malformed) {
        for (const token of [null, "pawl_nobody", expired, revoked])
          expect(await askBadly(endpoint, token, body)).toMatchObject({
            status: 401,
            body: { code: "unauthenticated" }
          })
        expect(await askBadly(endpoint, unscoped, body)).toMatchObject({
          status: 403,
          body: { code: "insufficient_scope" }
        })
        if (id !== undefined)
          expect(await askBadly(endpoint, outsider, body)).toMatchObject({
            status: 404,
            body: { code: expect.stringMatching(/^unknown_/) }
          })
        if (id === "organization")
          expect(await askBadly(endpoint, colleague, body)).toMatchObject({ status: 403, body: { held: "member" } })
        if (role !== null && role !== "viewer")
          expect(await askBadly(endpoint, viewer, body)).toMatchObject({ status: 403, body: { held: "viewer" } })
        if (role === "admin")
          expect(await askBadly(endpoint, member, body)).toMatchObject({ status: 403, body: { held: "member" } })
        expect((await askBadly(endpoint, ownerToken, body)).status).toBe(400)
      }
    })
  })

  describe.each(withPages)("$method $path with a query that cannot be used", (endpoint) => {
    it("does not exist for someone of another organization", async () => {
      const path = `${pathOf(endpoint, idOf(endpoint))}?limit=none&cursor=?&tree=`
      expect((await api.call("GET", path, { token: outsider })).status).toBe(404)
    })
  })

  describe.each(withRole)("$method $path", (endpoint) => {
    it("does not exist for someone of another organization", async () => {
      const known = idOf(endpoint)
      // Another id of the same form, of nothing.
      const unknown = known.replace(/[0-9](?=[^0-9]*$)/, (digit) => String((Number(digit) + 1) % 10))
      const [there, nowhere] = [await ask(endpoint, outsider), await ask(endpoint, outsider, unknown)]
      expect(there.status).toBe(404)
      const said = ({ text, body }: Answer, id: string) =>
        text.replaceAll(id, "<id>").replace(body.requestId, "<request>")
      expect(said(there, known)).toBe(said(nowhere, unknown))
      expect(unknown).not.toBe(known)
    })
  })

  describe.each(withRole.filter((endpoint) => endpoint.need?.role !== "viewer"))("$method $path", (endpoint) => {
    it("answers 403 to a role that is too weak", async () => {
      expect(await ask(endpoint, viewer)).toMatchObject({
        status: 403,
        body: { code: "insufficient_role", held: "viewer" }
      })
      if (endpoint.need?.role === "admin")
        expect(await ask(endpoint, member)).toMatchObject({ status: 403, body: { held: "member", needed: "admin" } })
    })
  })

  describe.each(guarded.filter((endpoint) => endpoint.need?.role === null))("$method $path", (endpoint) => {
    it("shows someone of another organization nothing of ours", async () => {
      const answer = await ask(endpoint, (await newUser(api, "Stranger")).token)
      expect(answer.status).toBe(samples[endpoint.name]?.stranger ?? 404)
      for (const ours of [ids.project, `"${ids.token}"`, `"${ids.organization}"`, "Home"])
        expect(answer.text).not.toContain(ours)
    })
  })
})
