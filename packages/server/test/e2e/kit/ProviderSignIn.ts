/** Signing in by a provider of identities with a browser: the same on a machine and on Cloudflare. */
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import type { Issuer } from "../../node/identity/Issuer.ts"

/** What was answered, its body as JSON where it is some. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line typescript/no-explicit-any -- answers of any endpoint, read by tests
  readonly body: any
}

/** Asks as a browser does which follows no redirect. */
export const ask = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { redirect: "manual", ...init })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}

/** Status and cookies of an answer to a request with these headers alone: `fetch` says `Sec-Fetch-Mode` by itself. */
const askAs = (url: string, headers: Readonly<Record<string, string>>): Promise<readonly [number, number]> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { headers }, (answer) => {
      answer.resume()
      answer.once("end", () => resolve([answer.statusCode ?? 0, answer.headers["set-cookie"]?.length ?? 0]))
    })
    asked.once("error", reject)
    asked.end()
  })

/** The cookies that an answer sets, by name. */
export const cookiesOf = (answer: Answer): ReadonlyMap<string, string> =>
  new Map(answer.headers.getSetCookie().map((each) => [each.split("=", 1)[0]!, each.split(";", 1)[0]!.split("=")[1]!]))

/** An installation that relies on a provider, with `console` as its client there. */
interface SignedInto {
  /** Where it is asked. */
  readonly origin: string
  /** Where people reach it. */
  readonly place: string
  /** A token of its own. */
  readonly token: string
}

/** Tests of an installation that relies on this provider. */
export const providerSignIns = (issuer: Issuer, installed: () => SignedInto): void => {
  const origin = () => installed().origin
  const place = () => installed().place
  const asking = (answer: Answer): string => `__Host-pawl-oidc=${cookiesOf(answer).get("__Host-pawl-oidc")}`
  /** Goes to the provider and comes back, up to the address that it leads to. */
  const begin = async (returnTo?: string, headers: Readonly<Record<string, string>> = {}) => {
    const query = returnTo === undefined ? "" : `?returnTo=${encodeURIComponent(returnTo)}`
    const started = await ask(`${origin()}/auth/oidc/start${query}`, { headers })
    const away = started.headers.get("location")!
    const back = new URL((await ask(away)).headers.get("location")!)
    return {
      cookie: asking(started),
      away: new URL(away),
      back,
      callback: `${origin()}${back.pathname}${back.search}`
    }
  }
  const finish = (url: string, cookie?: string, accept = "application/json") =>
    ask(url, { headers: { accept, ...(cookie === undefined ? {} : { cookie }) } })
  const refused = (answer: Answer, status = 400, code = "sign_in_refused") => {
    expect(answer.body).toMatchObject({ status, code })
    expect(cookiesOf(answer).get("__Host-pawl")).toBeUndefined()
  }

  it("is offered instead of a link", async () => {
    expect((await ask(`${origin()}/auth/methods`)).body).toEqual({ methods: ["oidc", "token"] })
  })

  it("is the way that counts: nobody makes a link", async () => {
    const headers = { authorization: `Bearer ${installed().token}` }
    const refused = await ask(`${origin()}/v1/sessions/link`, { method: "POST", headers })
    expect(refused.body).toMatchObject({ status: 409, code: "no_sign_in_link" })
  })

  it("signs a browser in: code, PKCE, state and nonce, and back to where it was going", async () => {
    const { away, back, callback, cookie } = await begin("/changes/chg_1?tab=diff")
    expect(Object.fromEntries(away.searchParams)).toMatchObject({
      client_id: "console",
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: `${place()}/auth/oidc/callback`
    })
    expect(back.origin).toBe(place())
    const answer = await finish(callback, cookie)
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/changes/chg_1?tab=diff"])
    const cookies = cookiesOf(answer)
    expect(cookies.get("__Host-pawl-oidc")).toBe("")
    const headers = { cookie: `__Host-pawl=${cookies.get("__Host-pawl")}`, "sec-fetch-site": "same-origin" }
    const { body } = await ask(`${origin()}/v1/me`, { headers })
    expect(body).toMatchObject({ user: { name: "Jane Doe" }, memberships: [], organizations: [] })
    // The same subject is the same user, by a bearer token too.
    const jwt = await issuer.token()
    const me = await ask(`${origin()}/v1/me`, { headers: { authorization: `Bearer ${jwt}` } })
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
      ask(`${origin()}/v1/me`, {
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
      (await ask(`${origin()}/v1/session`, { headers: inSession(secret) })).status
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

  describe("asked by a page of another host", () => {
    const image = { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }
    const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
    const start = (headers: Readonly<Record<string, string>>) => ask(`${origin()}/auth/oidc/start`, { headers })

    it.each(["same-site", "cross-site"])("begins nothing: %s, by an image or by a link", async (site) => {
      for (const way of [image, link])
        for (const cookie of [{}, { cookie: "__Host-pawl=of-somebody" }]) {
          const answer = await start({ ...way, ...cookie, "sec-fetch-site": site })
          refused(answer, 403, "cross_site")
          expect(answer.body.detail).toContain("Open the console and sign in there")
          expect([answer.headers.get("location"), answer.headers.getSetCookie()]).toEqual([null, []])
        }
      const page = await start({ ...link, "sec-fetch-site": site, accept: "text/html" })
      expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"])
      expect(page.text).toContain(`<a href="/">`)
    })

    it("begins nothing in a browser that says nothing of where a request with a session comes from", async () => {
      refused(await start({ cookie: "__Host-pawl=of-somebody" }), 403, "cross_site")
    })

    it.each(["same-origin", "none"])("begins for who comes from the console or types it: %s", async (site) => {
      expect((await start({ ...link, "sec-fetch-site": site })).status).toBe(302)
    })

    it("comes back to a page alone: an image or a frame neither signs in nor ends what is under way", async () => {
      const { callback, cookie } = await begin()
      for (const way of [image, { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }])
        for (const accept of ["application/json", "text/html"]) {
          const headers = { cookie, accept, ...way, "sec-fetch-site": "same-site" }
          expect(await askAs(callback, headers)).toEqual([400, 0])
        }
      expect(await askAs(callback, { cookie, ...link, "sec-fetch-site": "cross-site" })).toEqual([303, 2])
    })
  })

  it("tells a person what went wrong on a page, with the same status", async () => {
    const answer = await finish(`${origin()}/auth/oidc/callback?error=access_denied`, undefined, "text/html")
    expect(answer.status).toBe(400)
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(answer.text).toContain("<h1>You are not signed in</h1>")
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it.each(["//evil.example", "https://evil.example", "/\\evil.example", "evil", "", "/\r\nx"])(
    "leads back to a path of the console alone: %j is refused",
    async (place) => {
      const answer = await ask(`${origin()}/auth/oidc/start?returnTo=${encodeURIComponent(place)}`)
      expect(answer.body).toMatchObject({ status: 400, code: "invalid_field", field: "returnTo" })
    }
  )

  it("that cannot be asked is told as such, and nothing else stops", async () => {
    const { callback, cookie } = await begin()
    issuer.isAway = true
    expect((await finish(callback, cookie)).body).toMatchObject({ status: 503 })
    const own = { authorization: `Bearer ${installed().token}` }
    expect((await ask(`${origin()}/v1/me`, { headers: own })).status).toBe(200)
    issuer.isAway = false
  })
}
