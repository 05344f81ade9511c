import * as SignInCodes from "@pawl/core/access/SignInCodes"
import { Limits } from "@pawl/core/primitives/Limits"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Answer, type Api, newUser, ownerToken, startApi } from "../TestApi.ts"

const here = { host: "localhost:8787", "sec-fetch-site": "same-origin" }

/** The value of the session's cookie in an answer; empty unless the cookie is as it was promised. */
const secretOf = (answer: Answer): string => {
  const [pair = "", ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ")
  const promised = ["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Strict", "Secure"]
  const [, secret = ""] = /^__Host-pawl=([\w-]{43})$/.exec(pair) ?? []
  return attributes.toSorted().join() === promised.join() ? secret : ""
}

describe("A browser's session", () => {
  let api: Api
  let owner: string
  beforeAll(async () => {
    api = await startApi()
    owner = (await api.call("GET", "/v1/me")).body.user.id
  })
  afterAll(() => api.close())

  const signIn = (body: object, headers: Readonly<Record<string, string>> = here) =>
    api.call("POST", "/v1/session", { token: null, body, headers: { "user-agent": "A browser/1", ...headers } })
  const inside = (secret: string, method: string, path: string, headers: object = {}, body?: unknown) =>
    api.call(method, path, {
      token: null,
      headers: { ...here, cookie: `__Host-pawl=${secret}`, ...headers },
      ...(body === undefined ? {} : { body })
    })
  const byToken = async (token = ownerToken) => secretOf(await signIn({ token }))

  it("begins with a token, in a cookie that scripts cannot read and other sites do not send", async () => {
    const answer = await signIn({ token: ownerToken })
    expect(answer).toMatchObject({ status: 204, text: "" })
    expect(secretOf(answer)).not.toBe("")
    const { body } = await inside(secretOf(answer), "GET", "/v1/session")
    expect(body).toEqual({
      after: expect.any(Number),
      environment: "production",
      session: {
        id: expect.stringMatching(/^ses_/),
        userId: owner,
        tokenId: expect.stringMatching(/^tok_/),
        scopes: ["read", "write", "approve", "promote", "admin"],
        createdAt: expect.any(String),
        lastSeenAt: body.session.createdAt,
        idleUntil: new Date(Date.parse(body.session.createdAt) + 12 * 3600_000).toISOString(),
        endsAt: new Date(Date.parse(body.session.createdAt) + 7 * 24 * 3600_000).toISOString(),
        userAgent: "A browser/1",
        how: "token"
      },
      user: expect.objectContaining({ id: owner, name: "Owner" })
    })
  })

  it("acts as its user does, in reads and in writes", async () => {
    const secret = await byToken()
    expect((await inside(secret, "GET", "/v1/projects")).status).toBe(200)
    const made = await inside(secret, "POST", "/v1/projects", {}, { slug: "by-a-browser" })
    expect(made).toMatchObject({ status: 201, body: { project: { slug: "by-a-browser" } } })
    expect((await inside(secret, "GET", "/v1/me")).body).toMatchObject({
      user: { id: owner },
      token: { id: expect.stringMatching(/^tok_[0-9A-HJKMNP-TV-Z]{26}$/), name: "a browser, by a token" }
    })
  })

  describe.each(["same-site", "cross-site", "none", undefined] as const)("whose request says %s", (site) => {
    const headers = { "sec-fetch-site": site ?? "" }
    const asked = async (method: string, path: string, body?: unknown) => {
      const secret = await byToken()
      const given = { ...here, cookie: `__Host-pawl=${secret}`, ...headers }
      const { "sec-fetch-site": _, ...without } = given
      return api.call(method, path, {
        token: null,
        headers: site === undefined ? without : given,
        ...(body === undefined ? {} : { body })
      })
    }
    it("writes nothing", async () => {
      expectProblem(await asked("POST", "/v1/projects", { slug: `from-${site}` }), 403, "cross_site")
      expectProblem(await asked("POST", "/v1/tokens", { name: "theirs" }), 403, "cross_site")
      expectProblem(await asked("DELETE", "/v1/session"), 403, "cross_site")
    })
    it(site === "none" ? "reads, as who typed the address does" : "reads nothing", async () => {
      const answer = await asked("GET", "/v1/projects")
      if (site === "none") expect(answer.status).toBe(200)
      else expectProblem(answer, 403, "cross_site")
    })
  })

  it("is not begun for a page of another origin, so that nobody is signed in as somebody else", async () => {
    for (const site of ["same-site", "cross-site", "none"])
      expectProblem(await signIn({ token: ownerToken }, { ...here, "sec-fetch-site": site }), 403, "cross_site")
    expect((await signIn({ token: ownerToken }, { host: "127.0.0.1:1" })).status).toBe(204)
  })

  it("is not begun where a browser would not keep the cookie", async () => {
    expectProblem(await signIn({ token: ownerToken }, { host: "pawl.lan:8787" }), 400, "insecure_origin")
  })

  it("counts less than a token that comes along", async () => {
    const [secret, other] = [await byToken(), await newUser(api, "Other")]
    const both = { ...here, cookie: `__Host-pawl=${secret}` }
    expect((await api.call("GET", "/v1/me", { token: other.token, headers: both })).body.user.id).toBe(other.id)
    expectProblem(await api.call("GET", "/v1/me", { token: "pawl_nobody", headers: both }), 401, "unauthenticated")
  })

  it("is another at each sign-in, and the one before is over: nobody fixes it beforehand", async () => {
    const first = await byToken()
    const again = await signIn({ token: ownerToken }, { ...here, cookie: `__Host-pawl=${first}` })
    expect(secretOf(again)).not.toBe(first)
    expectProblem(await inside(first, "GET", "/v1/me"), 401, "unauthenticated", { reason: "ended" })
    const chosen = "A".repeat(43)
    const fixed = await signIn({ token: ownerToken }, { ...here, cookie: `__Host-pawl=${chosen}` })
    expect(secretOf(fixed)).not.toBe(chosen)
    expectProblem(await inside(chosen, "GET", "/v1/me"), 401, "unauthenticated", { reason: "ended" })
  })

  it("ends with signing out, at once, and the cookie is taken back", async () => {
    const secret = await byToken()
    const out = await inside(secret, "DELETE", "/v1/session")
    expect(out.status).toBe(204)
    expect(out.headers.get("set-cookie")).toMatch(/^__Host-pawl=; Max-Age=0; .*Secure/)
    expectProblem(await inside(secret, "GET", "/v1/me"), 401, "unauthenticated", { reason: "ended" })
    expect((await inside(secret, "DELETE", "/v1/session")).status).toBe(204)
  })

  it("is listed without its secret, and ended from another browser", async () => {
    const [mine, lost] = [await byToken(), await byToken()]
    const id = (await inside(lost, "GET", "/v1/session")).body.session.id
    const listed = await inside(mine, "GET", "/v1/sessions")
    expect(listed.body.items.map((each: { id: string }) => each.id)).toContain(id)
    expect(listed.text).not.toMatch(/hash|[A-Za-z0-9_-]{43}/)
    expect((await inside(mine, "DELETE", `/v1/sessions/${id}`)).status).toBe(204)
    expectProblem(await inside(lost, "GET", "/v1/me"), 401, "unauthenticated", { reason: "ended" })
    expectProblem(await inside(mine, "DELETE", `/v1/sessions/${id}`), 404, "unknown_session")
  })

  it("of somebody else does not exist", async () => {
    const mine = (await inside(await byToken(), "GET", "/v1/session")).body.session.id
    const other = await newUser(api, "Curious")
    expectProblem(await api.call("DELETE", `/v1/sessions/${mine}`, { token: other.token }), 404, "unknown_session")
    expect((await api.call("GET", "/v1/sessions", { token: other.token })).body.items).toEqual([])
  })

  it("can do no more than the token that began it, and ends with it", async () => {
    const made = await api.call("POST", "/v1/tokens", { body: { name: "narrow", scopes: ["read"] } })
    const secret = await byToken(made.body.token)
    expectProblem(await inside(secret, "POST", "/v1/projects", {}, { slug: "wide" }), 403, "insufficient_scope")
    await api.call("DELETE", `/v1/tokens/${made.body.id}`)
    expectProblem(await inside(secret, "GET", "/v1/me"), 401, "unauthenticated", { reason: "revoked" })
  })

  it("ends with its user", async () => {
    const gone = await newUser(api, "Gone")
    const secret = await byToken(gone.token)
    expect((await inside(secret, "GET", "/v1/me")).status).toBe(200)
    await api.call("DELETE", `/v1/users/${gone.id}`)
    expectProblem(await inside(secret, "GET", "/v1/me"), 401, "unauthenticated")
  })

  it(`is one of ${Limits.sessionsPerUser}: one more ends the one that was used least lately`, async () => {
    const many = await newUser(api, "Many")
    const secrets: Array<string> = []
    for (let n = 0; n <= Limits.sessionsPerUser; n++) secrets.push(await byToken(many.token))
    expect((await inside(secrets[0]!, "GET", "/v1/me")).status).toBe(401)
    expect((await inside(secrets[1]!, "GET", "/v1/me")).status).toBe(200)
    const listed = await inside(secrets[1]!, "GET", "/v1/sessions")
    expect(listed.body.items.length).toBe(Limits.sessionsPerUser)
  })

  it("is begun by a token or a code, by one of them alone, and by good ones alone", async () => {
    for (const body of [{}, { token: ownerToken, code: "x" }])
      expectProblem(await signIn(body), 400, "invalid_field", { field: "token" })
    expectProblem(await signIn({ token: "pawl_nobody" }), 401, "unauthenticated", { reason: "unknown" })
    expectProblem(await signIn({ code: "nothing" }), 400, "code_refused", { reason: "unknown" })
  })

  describe("by the code of a link", () => {
    const offer = async () => Redacted.value(await api.run(SignInCodes.offer(owner)))

    it("is begun once", async () => {
      const code = await offer()
      const secret = secretOf(await signIn({ code }))
      expect((await inside(secret, "GET", "/v1/session")).body).toMatchObject({
        session: { how: "link", tokenId: null, userId: owner }
      })
      expectProblem(await signIn({ code }), 400, "code_refused", { reason: "used" })
    })

    it("that a token made may do what the token may, and ends with it", async () => {
      const made = await api.call("POST", "/v1/tokens", { body: { name: "narrow", scopes: ["read", "admin"] } })
      const asked = await api.call("POST", "/v1/sessions/link", { token: made.body.token })
      expect(asked).toMatchObject({ status: 201, body: { expiresAt: expect.any(String) } })
      const [, code = ""] = /\/#login=([\w-]{43})$/.exec(asked.body.link) ?? []
      const secret = secretOf(await signIn({ code }))
      expect((await inside(secret, "GET", "/v1/session")).body).toMatchObject({
        session: { how: "link", tokenId: made.body.id, userId: owner, scopes: ["read", "admin"] }
      })
      expectProblem(await inside(secret, "POST", "/v1/projects", {}, { slug: "wide" }), 403, "insufficient_scope")
      expectProblem(await signIn({ code }), 400, "code_refused", { reason: "used" })
      await api.call("DELETE", `/v1/tokens/${made.body.id}`)
      expectProblem(await inside(secret, "GET", "/v1/me"), 401, "unauthenticated", { reason: "revoked" })
    })

    it("is begun by none whose token was revoked before it was opened", async () => {
      const made = await api.call("POST", "/v1/tokens", { body: { name: "short" } })
      const asked = await api.call("POST", "/v1/sessions/link", { token: made.body.token })
      await api.call("DELETE", `/v1/tokens/${made.body.id}`)
      const refused = await signIn({ code: String(asked.body.link).split("#login=")[1] })
      expectProblem(refused, 401, "unauthenticated", { reason: "revoked" })
      expect(secretOf(refused)).toBe("")
    })

    it("is made by no session, which would outlive itself by it", async () => {
      expectProblem(await inside(await byToken(), "POST", "/v1/sessions/link"), 403, "link_needs_token")
    })

    it("is begun once, however many try at the same time", async () => {
      const code = await offer()
      const tries = await Promise.all(Array.from({ length: 8 }, () => signIn({ code })))
      expect(tries.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        204, 400, 400, 400, 400, 400, 400, 400
      ])
    })
  })
})
