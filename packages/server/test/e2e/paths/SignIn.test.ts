import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Issuer, unsigned } from "../../node/identity/Issuer.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line typescript/no-explicit-any -- answers of any endpoint, read by tests
  readonly body: any
}

/** Asks as a browser does which follows no redirect. */
const ask = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { redirect: "manual", ...init })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}

const cookiesOf = (answer: Answer): ReadonlyMap<string, string> =>
  new Map(answer.headers.getSetCookie().map((each) => [each.split("=", 1)[0]!, each.split(";", 1)[0]!.split("=")[1]!]))

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

  const asking = (answer: Answer): string => `__Host-pawl-oidc=${cookiesOf(answer).get("__Host-pawl-oidc")}`
  /** Goes to the provider and comes back, up to the address that it leads to. */
  const begin = async (returnTo?: string, headers: Readonly<Record<string, string>> = {}) => {
    const query = returnTo === undefined ? "" : `?returnTo=${encodeURIComponent(returnTo)}`
    const started = await ask(`${server.origin}/auth/oidc/start${query}`, { headers })
    const away = started.headers.get("location")!
    const back = new URL((await ask(away)).headers.get("location")!)
    return {
      cookie: asking(started),
      away: new URL(away),
      back,
      callback: `${server.origin}${back.pathname}${back.search}`
    }
  }
  const finish = (url: string, cookie?: string, accept = "application/json") =>
    ask(url, { headers: { accept, ...(cookie === undefined ? {} : { cookie }) } })
  const refused = (answer: Answer, status = 400, code = "sign_in_refused") => {
    expect(answer.body).toMatchObject({ status, code })
    expect(cookiesOf(answer).get("__Host-pawl")).toBeUndefined()
  }

  it("is offered instead of a link, and no link is printed", async () => {
    expect((await ask(`${server.origin}/auth/methods`)).body).toEqual({ methods: ["oidc", "token"] })
    expect(server.output.join("\n")).not.toContain("login=")
  })

  it("signs a browser in: code, PKCE, state and nonce, and back to where it was going", async () => {
    const { away, back, callback, cookie } = await begin("/changes/chg_1?tab=diff")
    expect(Object.fromEntries(away.searchParams)).toMatchObject({
      client_id: "console",
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: `http://localhost:${server.port}/auth/oidc/callback`
    })
    expect(back.origin).toBe(`http://localhost:${server.port}`)
    const answer = await finish(callback, cookie)
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/changes/chg_1?tab=diff"])
    const cookies = cookiesOf(answer)
    expect(cookies.get("__Host-pawl-oidc")).toBe("")
    const headers = { cookie: `__Host-pawl=${cookies.get("__Host-pawl")}`, "sec-fetch-site": "same-origin" }
    const { body } = await ask(`${server.origin}/v1/me`, { headers })
    expect(body).toMatchObject({ user: { name: "Jane Doe" }, memberships: [], organizations: [] })
    // The same subject is the same user, by a bearer token too.
    const jwt = await issuer.token()
    const me = await ask(`${server.origin}/v1/me`, { headers: { authorization: `Bearer ${jwt}` } })
    expect(me.body.user.id).toBe(body.user.id)
  })

  it("that answers again with the same state, or the same code, signs nobody in", async () => {
    const { callback, cookie } = await begin()
    expect((await finish(callback, cookie)).status).toBe(303)
    refused(await finish(callback, cookie))
    refused(await finish(callback))
    const other = await begin()
    const mixed = new URL(callback)
    mixed.searchParams.set("state", other.back.searchParams.get("state")!)
    refused(await finish(mixed.href, other.cookie))
  })

  it("that answers a question which this browser did not ask signs nobody in", async () => {
    const [mine, theirs] = [await begin(), await begin()]
    refused(await finish(theirs.callback, mine.cookie))
    refused(await finish(theirs.callback, "__Host-pawl-oidc=bm90aGluZw"))
    refused(await finish(theirs.callback))
  })

  it.each([
    ["another issuer in its answer", { iss: "https://id.example" }],
    ["no issuer in its answer", { iss: undefined }],
    ["no code", { code: undefined }],
    ["no state", { state: undefined }],
    ["an error", { error: "access_denied", code: undefined }]
  ])("with %s signs nobody in", async (_, changed) => {
    const { callback, cookie } = await begin()
    const url = new URL(callback)
    for (const [name, value] of Object.entries(changed))
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    refused(await finish(url.href, cookie))
  })

  it.each([
    ["of another issuer", { iss: "https://id.example" }],
    ["for another client", { aud: "other" }],
    ["with another nonce", { nonce: "another" }],
    ["that has expired", { exp: 1 }]
  ])("whose ID token is one %s signs nobody in", async (_, twist) => {
    const { callback, cookie } = await begin()
    issuer.twist = twist
    const answer = await finish(callback, cookie)
    issuer.twist = {}
    refused(answer)
  })

  it("whose ID token another key signed signs nobody in", async () => {
    const { callback, cookie } = await begin()
    const published = issuer.keys
    await issuer.rotate()
    const secretly = issuer.keys.map((key, at) => ({ ...key, kid: published[at]!.kid, jwk: published[at]!.jwk }))
    issuer.keys = secretly
    const answer = await finish(callback, cookie)
    issuer.keys = published
    refused(answer)
  })

  it("whose ID token nobody signed (`alg: none`) signs nobody in", async () => {
    const { callback, cookie } = await begin()
    issuer.isUnsigned = true
    const answer = await finish(callback, cookie)
    issuer.isUnsigned = false
    refused(answer)
  })

  it("begins another session than the one that was planted in the browser before: nobody fixes it beforehand", async () => {
    const meOf = (secret: string) =>
      ask(`${server.origin}/v1/me`, {
        headers: { cookie: `__Host-pawl=${secret}`, "sec-fetch-site": "same-origin" }
      })
    const planted = "A".repeat(43)
    const { callback, cookie } = await begin()
    const secret = cookiesOf(await finish(callback, `${cookie}; __Host-pawl=${planted}`)).get("__Host-pawl")!
    expect(secret).not.toBe(planted)
    expect((await meOf(secret)).body).toMatchObject({ user: { name: "Jane Doe" } })
    expect((await meOf(planted)).body).toMatchObject({ status: 401, code: "unauthenticated" })
    // Nor is one that is somebody's handed to the next who signs in.
    const next = await begin()
    const other = await finish(next.callback, `${next.cookie}; __Host-pawl=${secret}`)
    expect(cookiesOf(other).get("__Host-pawl")).toMatch(/^[\w-]{43}$/)
    expect(cookiesOf(other).get("__Host-pawl")).not.toBe(secret)
  })

  describe("in a browser where somebody is signed in", () => {
    const inSession = (secret: string) => ({ cookie: `__Host-pawl=${secret}`, "sec-fetch-site": "same-origin" })
    const statusOf = async (secret: string) =>
      (await ask(`${server.origin}/v1/session`, { headers: inSession(secret) })).status
    const signIn = async (before?: string): Promise<string> => {
      const { callback, cookie } = await begin("/", before === undefined ? {} : inSession(before))
      // The page that leads back is the provider's: browsers send no cookie along that is `Strict`.
      const answer = await finish(callback, cookie)
      expect(answer.status).toBe(303)
      return cookiesOf(answer).get("__Host-pawl")!
    }

    it("ends the session that was there when it was asked, and no other of the same person", async () => {
      const [first, elsewhere] = [await signIn(), await signIn()]
      const next = await signIn(first)
      expect([await statusOf(first), await statusOf(elsewhere), await statusOf(next)]).toEqual([401, 200, 200])
    })

    it("ends that of somebody else too, and one whose cookie comes along", async () => {
      const mine = await signIn()
      issuer.person = { sub: "next", name: "Next Person" }
      const theirs = await signIn(mine)
      issuer.person = { sub: "248289761001", name: "Jane Doe" }
      expect([await statusOf(mine), await statusOf(theirs)]).toEqual([401, 200])
      const { callback, cookie } = await begin()
      expect((await finish(callback, `${cookie}; __Host-pawl=${theirs}`)).status).toBe(303)
      expect(await statusOf(theirs)).toBe(401)
    })

    it("ends nothing when it signs nobody in, and keeps nothing that opens the session", async () => {
      const first = await signIn()
      const { callback, cookie } = await begin("/", inSession(first))
      const kept = Buffer.from(cookie.split("=")[1]!, "base64url").toString()
      expect(JSON.parse(kept)).toMatchObject({ session: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(kept).not.toContain(first)
      expect(await statusOf(JSON.parse(kept).session)).toBe(401)
      issuer.twist = { aud: "other" }
      refused(await finish(callback, cookie))
      issuer.twist = {}
      expect(await statusOf(first)).toBe(200)
    })
  })

  it("tells a person what went wrong on a page, with the same status", async () => {
    const answer = await finish(`${server.origin}/auth/oidc/callback?error=access_denied`, undefined, "text/html")
    expect(answer.status).toBe(400)
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(answer.text).toContain("<h1>You are not signed in</h1>")
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it.each(["//evil.example", "https://evil.example", "/\\evil.example", "evil", "", "/\r\nx"])(
    "leads back to a path of the console alone: %j is refused",
    async (place) => {
      const answer = await ask(`${server.origin}/auth/oidc/start?returnTo=${encodeURIComponent(place)}`)
      expect(answer.body).toMatchObject({ status: 400, code: "invalid_field", field: "returnTo" })
    }
  )

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

  it("that cannot be asked is told as such, and nothing else stops", async () => {
    const { callback, cookie } = await begin()
    issuer.isAway = true
    expect((await finish(callback, cookie)).body).toMatchObject({ status: 503 })
    const own = { authorization: `Bearer ${token}` }
    expect((await ask(`${server.origin}/v1/me`, { headers: own })).status).toBe(200)
    issuer.isAway = false
  })
})
