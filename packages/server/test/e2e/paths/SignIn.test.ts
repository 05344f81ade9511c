import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Issuer, unsigned } from "../../node/identity/Issuer.ts"
import { ask, cookiesOf, providerSignIns } from "../kit/ProviderSignIn.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const sameOrigin = { "sec-fetch-site": "same-origin", "content-type": "application/json" }

describe("The link that pawl serve prints", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })
  const post = (body: object) =>
    ask(`${server.origin}/v1/session`, { method: "POST", headers: sameOrigin, body: JSON.stringify(body) })

  it("signs its owner in once, and its code stands in no log", async () => {
    const [, code = ""] = /^sign in http:\/\/localhost:\d+\/#login=([\w-]{43}) \(once, within 10 minutes\)$/m.exec(
      server.output.join("\n")
    )!
    const answer = await post({ code })
    expect(answer.status).toBe(204)
    const secret = cookiesOf(answer).get("__Host-pawl")!
    const headers = { cookie: `__Host-pawl=${secret}`, "sec-fetch-site": "same-origin" }
    expect((await ask(`${server.origin}/v1/session`, { headers })).body).toMatchObject({
      session: { how: "link" },
      user: { name: "Owner" }
    })
    expect((await post({ code })).body).toMatchObject({ status: 400, code: "code_refused", reason: "used" })
    for (const hidden of [code, secret]) expect(server.log()).not.toContain(hidden)
    // Whether one is signed in, a page may ask without being refused: it of its own origin alone.
    const isTold = async (cookie: string, site: string) => {
      const { body } = await ask(`${server.origin}/auth/methods`, { headers: { cookie, "sec-fetch-site": site } })
      return body
    }
    const [yes, no] = [{ methods: ["link", "token"], signedIn: true }, { methods: ["link", "token"] }]
    expect(await isTold(headers.cookie, "same-origin")).toEqual(yes)
    for (const site of ["same-site", "cross-site"]) expect(await isTold(headers.cookie, site)).toEqual(no)
    expect(await isTold(`__Host-pawl=${secret.slice(1)}`, "same-origin")).toEqual(no)
    expect((await ask(`${server.origin}/v1/session`, { method: "DELETE", headers })).status).toBe(204)
    expect(await isTold(headers.cookie, "same-origin")).toEqual(no)
  })

  it("is one of the ways that the console offers", async () => {
    expect((await ask(`${server.origin}/auth/methods`)).body).toEqual({ methods: ["link", "token"] })
  })

  it("does not mind cookies that a neighbour filled the browser with: it is told to forget them", async () => {
    const answer = await new Promise<{ status: number | undefined; clear: unknown }>((resolve, reject) => {
      const cookie = Array.from({ length: 8 }, (_, n) => `bomb${n}=${"x".repeat(3500)}`).join("; ")
      const asked = httpRequest({ host: "127.0.0.1", port: server.port, path: "/v1/me", headers: { cookie } }, (res) =>
        resolve({ status: res.statusCode, clear: res.headers["clear-site-data"] })
      )
      asked.once("error", reject)
      asked.end()
    })
    expect(answer).toEqual({ status: 431, clear: '"cookies"' })
  })
})

describe("A provider of identities", () => {
  const folder = temporaryFolder()
  const issuer = new Issuer()
  let server: ServerProcess
  beforeAll(async () => {
    await issuer.start()
    server = await startServer({
      data: folder.path,
      environment: {
        PAWL_OIDC_ISSUER: issuer.url,
        PAWL_OIDC_AUDIENCE: "pawl",
        PAWL_OIDC_CLIENT_ID: "console"
      }
    })
  })
  afterAll(async () => {
    await server.stop()
    issuer.stop()
    folder.remove()
  })

  it("tells clients of MCP which provider gives them tokens (RFC 9728), and leads them there from a 401", async () => {
    const address = `${server.origin}/.well-known/oauth-protected-resource/mcp`
    const refusal = await ask(`${server.origin}/mcp`, { method: "POST" })
    expect(refusal.status).toBe(401)
    const [, told = ""] = /resource_metadata="([^"]+)"/.exec(refusal.headers.get("www-authenticate") ?? "") ?? []
    expect(new URL(told).pathname).toBe(new URL(address).pathname)
    const { body, headers, status } = await ask(address)
    const sent = ["access-control-allow-origin", "cache-control"].map((name) => headers.get(name))
    expect([status, ...sent]).toEqual([200, "*", "public, max-age=300"])
    expect(body).toEqual({
      resource: told.replace("/.well-known/oauth-protected-resource", ""),
      resource_name: "Pawl",
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"]
    })
    expect((await ask(address, { method: "POST" })).status).toBe(405)
  })

  it("has no link printed", () => {
    expect(server.output.join("\n")).not.toContain("login=")
  })

  providerSignIns(issuer, () => ({ origin: server.origin, place: `http://localhost:${server.port}`, token }))

  it("lets a JWT do what its user's roles allow, and no more", async () => {
    const jwt = await issuer.token({ sub: "worker", name: "Worker" })
    const headers = { authorization: `Bearer ${jwt}`, "content-type": "application/json" }
    const { user } = (await ask(`${server.origin}/v1/me`, { headers })).body
    const { project } = await server.api.post<{ project: { id: string } }>("/v1/projects", { slug: "theirs" })
    const path = `${server.origin}/v1/projects/${project.id}`
    expect((await ask(path, { headers })).status).toBe(404)
    await ask(`${path}/members`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ members: [{ userId: user.id, role: "viewer" }] })
    })
    expect((await ask(path, { headers })).status).toBe(200)
    expect((await ask(path, { method: "DELETE", headers })).body).toMatchObject({ code: "insufficient_role" })
  })

  it("lets nobody in whose token has expired, is for others, or is signed by a key that is not its own, or by nobody", async () => {
    const stranger = await new Issuer().start()
    stranger.stop()
    const theirs = stranger.key()
    const tokens = [
      await issuer.token({ exp: 1 }),
      await issuer.token({ aud: "other" }),
      await issuer.token({ iss: "https://id.example" }),
      await issuer.token({}, theirs),
      await issuer.token({}, { ...theirs, kid: issuer.key().kid }),
      unsigned(await issuer.token())
    ]
    for (const each of tokens) {
      const answer = await ask(`${server.origin}/v1/me`, { headers: { authorization: `Bearer ${each}` } })
      expect(answer.body).toMatchObject({ status: 401, code: "unauthenticated" })
      expect(server.log()).not.toContain(each.split(".")[1])
    }
  })
})
