/** What any request may be, whatever it asks for. */
import { Limits } from "@pawl/core/primitives/Limits"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, type Api, newProject, newUser, ownerToken, source, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

describe("A path", () => {
  it("that is not in the contract is 404, before anyone is asked who they are", async () => {
    for (const path of [
      "/",
      "/v1",
      "/v1/nothing",
      "/v1/projects/",
      "/v1/projects//app",
      "/v2/projects",
      "/V1/projects",
      "/__service/x"
    ])
      expect(await api.call("GET", path, { token: null })).toMatchObject({ status: 404, body: { code: "not_found" } })
  })

  it("answers 405 and names its methods", async () => {
    const answer = await api.call("PATCH", "/v1/projects", { token: null })
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed", allow: ["POST", "GET", "HEAD"] } })
    expect(answer.headers.get("allow")).toBe("POST, GET, HEAD")
    expect((await api.call("GET", "/v1/candidates/x/promote")).headers.get("allow")).toBe("POST")
  })

  it("answers HEAD as GET, without a body", async () => {
    const answer = await api.call("HEAD", "/v1/me")
    expect([answer.status, answer.text]).toEqual([200, ""])
  })

  it("may hold any text where an id stands", async () => {
    for (const id of ["%00", "%2e%2e%2f", "a".repeat(400), "%F0%9F%98%80", "'%20OR%201=1--", "..%2Fetc"])
      expect((await api.call("GET", `/v1/projects/${id}`)).status).toBe(404)
    for (const id of ["%", "%zz", "%ff", "a".repeat(2000)])
      expect([400, 404]).toContain((await api.call("GET", `/v1/projects/${id}`)).status)
  })
})

describe("A body", () => {
  it("that is not JSON is 400, after the caller is known", async () => {
    for (const body of ["{", "nope", '{"a":}', "\u0000"]) {
      expect(await api.call("POST", "/v1/projects", { body })).toMatchObject({
        status: 400,
        body: { code: "invalid_json" }
      })
      expect((await api.call("POST", "/v1/projects", { body, token: null })).status).toBe(401)
    }
    const bytes = await answerOf(
      await api.handler(
        new Request("http://pawl.test/v1/projects", {
          method: "POST",
          headers: { authorization: `Bearer ${ownerToken}` },
          body: Uint8Array.of(0x22, 0xff, 0x22)
        })
      )
    )
    expect([bytes.status, bytes.body.code]).toEqual([400, "invalid_json"])
  })

  it("of another shape is 400 and names the first field that is wrong", async () => {
    const bodies: ReadonlyArray<readonly [string, string]> = [
      ["[]", ""],
      ["null", ""],
      ["7", ""],
      ['{"slug":"a","name":7}', "name"],
      ['{"slug":"a","template":{}}', "template"]
    ]
    for (const [body, field] of bodies)
      expect(await api.call("POST", "/v1/projects", { body })).toMatchObject({ status: 400, body: { field } })
  })

  it("nested deeper than 64 levels is 400, wherever the nest is and however deep", async () => {
    const nest = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    for (const body of [
      nest(200_000),
      `{"slug":${nest(200_000)}}`,
      `{"slug":"a","files":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
      `{"slug":"a","unknown":${nest(64)}}`,
      "[".repeat(65)
    ])
      expect(await api.call("POST", "/v1/projects", { body })).toMatchObject({
        status: 400,
        body: { code: "too_deep", maxDepth: 64 }
      })
    const text = `{"slug":"nests","unknown":${nest(63)},"name":${JSON.stringify(`"${"[".repeat(90)}`)}}`
    expect((await api.call("POST", "/v1/projects", { body: text })).status).toBe(201)
    expect((await api.call("POST", "/v1/projects", { body: `{"slug":${nest(63)}}` })).body.code).toBe("invalid_slug")
  })

  it("is told what it may say instead", async () => {
    const details: ReadonlyArray<readonly [string, string]> = [
      ["[]", "The body: it must be a JSON object."],
      ["{}", "slug: is missing."],
      ['{"slug":"a","template":"x"}', 'template: use one of "shop", "blank", "react".'],
      ['{"slug":"a","files":{"a.txt":7}}', "files.a.txt: use a text or { base64 }."]
    ]
    for (const [body, detail] of details)
      expect((await api.call("POST", "/v1/projects", { body })).body.detail).toBe(detail)
    for (const query of ["limit=x", "limit=1&limit=2"])
      expect((await api.call("GET", `/v1/projects?${query}`)).body.detail).toBe(
        "limit: use one whole number from 1 to 100."
      )
  })

  it("may have fields that nobody asked for", async () => {
    const { status, body } = await api.call("POST", "/v1/projects", {
      body: '{"slug":"roomy","more":[1],"__proto__":{"x":1},"constructor":7}'
    })
    expect([status, body.project.slug]).toEqual([201, "roomy"])
  })

  it("may name a file as an object's own parts are named", async () => {
    const { body } = await api.call("POST", "/v1/projects", {
      body: '{"slug":"oddly","files":{"__proto__":"x","constructor":"y","a.txt":"z"}}'
    })
    const listing = await api.call("GET", `/v1/projects/${body.project.id}/code`)
    expect(listing.body.entries.map((entry: { path: string }) => entry.path)).toEqual([
      "__proto__",
      "a.txt",
      "constructor"
    ])
  })

  it("is JSON whatever it says it is, but a form is refused with what to send", async () => {
    const body = JSON.stringify({ name: "plain" })
    expect(
      (await api.call("POST", "/v1/tokens", { body, headers: { "content-type": "text/plain;charset=UTF-8" } })).status
    ).toBe(201)
    const answer = await api.call("POST", "/v1/tokens", {
      body,
      headers: { "content-type": "application/x-www-form-urlencoded" }
    })
    expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } })
  })

  it("may be left out where every field may", async () => {
    const project = await newProject(api, "bodiless")
    const { body } = await api.call("POST", `/v1/projects/${project.id}/changes`, {
      body: { clientRequestId: "r", goal: "g", budget_usd: 1 }
    })
    expect((await api.call("POST", `/v1/changes/${body.change.id}/candidates`)).body.code).toBe("nothing_to_compose")
    expect((await api.call("POST", `/v1/changes/${body.change.id}/cancel`)).status).toBe(200)
  })

  const streamed = (size: number): ReadableStream<Uint8Array> => {
    let left = size
    return new ReadableStream({
      pull: (controller) => {
        if (left <= 0) return controller.close()
        controller.enqueue(new Uint8Array(Math.min(left, 65_536)).fill(32))
        left -= 65_536
      }
    })
  }
  const sendStream = (path: string, size: number, headers: Readonly<Record<string, string>> = {}) =>
    api.handler(
      new Request(`http://pawl.test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ownerToken}`, ...headers },
        body: streamed(size),
        duplex: "half"
      })
    )

  it("over the bound is 413, whether or not it says its length", async () => {
    const large = JSON.stringify({ name: "x".repeat(ServerLimits.bodyBytes) })
    expect(await api.call("POST", "/v1/tokens", { body: large })).toMatchObject({
      status: 413,
      body: { code: "body_too_large", maxBytes: ServerLimits.bodyBytes }
    })
    for (const size of [ServerLimits.bodyBytes + 1, ServerLimits.bodyBytes * 30])
      expect((await sendStream("/v1/tokens", size)).status).toBe(413)
    const lied = await sendStream("/v1/tokens", 10, { "content-length": String(ServerLimits.bodyBytes + 1) })
    expect(lied.status).toBe(413)
  })

  it("of files may have ten times as much", async () => {
    const files = { "a.txt": "x".repeat(2 * ServerLimits.bodyBytes) }
    const project = await newProject(api, "weighty", { ...source, ...files })
    const change = (
      await api.call("POST", `/v1/projects/${project.id}/changes`, {
        body: { clientRequestId: "r", goal: "g", budget_usd: 1 }
      })
    ).body.change
    const heavy = { message: "m", files: { "b.txt": "x".repeat(3 * ServerLimits.bodyBytes) } }
    expect((await api.call("POST", `/v1/changes/${change.id}/changesets`, { body: heavy })).status).toBe(201)
    const tooHeavy = { message: "m", files: { "b.txt": "x".repeat(Limits.sourceBodyBytes) } }
    expect((await api.call("POST", `/v1/changes/${change.id}/changesets`, { body: tooHeavy })).status).toBe(413)
    expect((await api.call("POST", `/v1/changes/${change.id}/approve`, { body: heavy })).status).toBe(413)
  })
})

describe("A list", () => {
  it("is read page by page, each thing once", async () => {
    const project = await newProject(api, "paged")
    const path = `/v1/projects/${project.id}/changes`
    for (let i = 0; i < 7; i++)
      await api.call("POST", path, { body: { clientRequestId: `r${i}`, goal: `goal ${i}`, budget_usd: 1 } })
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const page: { items: ReadonlyArray<{ goal: string }>; nextCursor: string | null } = (
        await api.call("GET", `${path}?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`)
      ).body
      expect(page.items.length).toBeLessThanOrEqual(3)
      seen.push(...page.items.map((each) => each.goal))
      cursor = page.nextCursor
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `goal ${i}`))
  })

  it("of Projects goes through the caller's organizations, then through entries elsewhere", async () => {
    const other = await startApi()
    const guest = await newUser(other, "Guest")
    const mine = { token: guest.token }
    await other.call("POST", "/v1/organizations", { ...mine, body: { name: "Guest's" } })
    for (const slug of ["own-1", "own-2", "own-3"])
      await other.call("POST", "/v1/projects", { ...mine, body: { slug } })
    for (const slug of ["far-1", "far-2", "hidden"]) {
      const { body } = await other.call("POST", "/v1/projects", { body: { slug } })
      if (slug !== "hidden")
        await other.call("PUT", `/v1/projects/${body.project.id}/members`, {
          body: { members: [{ userId: guest.id, role: "viewer" }] }
        })
    }
    for (const limit of [1, 2, 3, 4, 100]) {
      const seen: Array<string> = []
      let cursor = ""
      for (let page = 0; page < 20; page++) {
        const { body } = await other.call("GET", `/v1/projects?limit=${limit}${cursor}`, mine)
        seen.push(...body.items.map((each: { slug: string }) => each.slug))
        if (body.nextCursor === null) break
        cursor = `&cursor=${body.nextCursor}`
      }
      expect(seen).toEqual(["own-1", "own-2", "own-3", "far-1", "far-2"])
    }
    await other.close()
  })

  it("takes a limit from 1 to 100, and only a cursor that it gave", async () => {
    for (const limit of ["0", "101", "-1", "1.5", "many", ""]) {
      const answer = await api.call("GET", `/v1/projects?limit=${limit}`)
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_field", field: "limit" } })
    }
    const damaged = await api.call("GET", "/v1/projects?cursor=nonsense")
    expect(damaged).toMatchObject({ status: 400, body: { code: "invalid_field", field: "cursor" } })
    expect((await api.call("GET", "/v1/projects?limit=100&more=1")).status).toBe(200)
  })
})

describe("An answer", () => {
  it("has its request's id and headers that keep browsers from guessing", async () => {
    for (const path of ["/health", "/v1/me", "/v1/nothing", "/openapi.json"]) {
      const { headers } = await api.call("GET", path)
      expect(headers.get("x-request-id")).toMatch(/^req_[0-9A-Z]{26}$/)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get("cache-control")).toBe("no-store")
    }
  })

  it("keeps a caller's own request id when it is well-formed", async () => {
    expect(
      (await api.call("GET", "/health", { headers: { "x-request-id": "trace-1234.5" } })).headers.get("x-request-id")
    ).toBe("trace-1234.5")
    expect(
      (await api.call("GET", "/health", { headers: { "x-request-id": "<script>" } })).headers.get("x-request-id")
    ).toMatch(/^req_/)
  })
})

describe("Credentials", () => {
  it("count only as a bearer token", async () => {
    for (const authorization of ["", "Bearer", "Bearer ", `Basic ${ownerToken}`, ownerToken, `Token ${ownerToken}`])
      expect((await api.call("GET", "/v1/me", { token: null, headers: { authorization } })).status).toBe(401)
    expect(
      (await api.call("GET", "/v1/me", { token: null, headers: { authorization: `bearer ${ownerToken}` } })).status
    ).toBe(200)
    expect((await api.call("GET", `/v1/me?token=${ownerToken}`, { token: null })).status).toBe(401)
  })
})

describe("Too many requests", () => {
  it("of one caller are 429 and say when to come back, and no other caller notices", async () => {
    const slow = await startApi({ requestsPerMinute: 5 })
    const other = await newUser(slow, "Other")
    for (let i = 0; i < 4; i++) expect((await slow.call("GET", "/v1/me")).status).toBe(200)
    const answer = await slow.call("GET", "/v1/me")
    expect(answer).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(60)
    expect((await slow.call("GET", "/v1/me", { token: other.token })).status).toBe(200)
    expect((await slow.call("GET", "/health", { token: null })).status).toBe(200)
    await slow.close()
  })

  it("of someone who guesses tokens are 429 too", async () => {
    const slow = await startApi({ requestsPerMinute: 3 })
    const guesses = []
    for (let i = 0; i < 5; i++) guesses.push((await slow.call("GET", "/v1/me", { token: `pawl_guess-${i}` })).status)
    expect(guesses).toEqual([401, 401, 401, 429, 429])
    await slow.close()
  })
})

describe("Answers that nobody reads", () => {
  it("keep further requests of the caller waiting, and one who leaves meanwhile makes way", async () => {
    const own = await startApi()
    const ask = (signal?: AbortSignal) =>
      own.handler(new Request("http://pawl.test/openapi.json", signal === undefined ? {} : { signal }))
    // As many as one may leave unread, or as fill what one may have in memory.
    const { byteLength } = await (await ask()).arrayBuffer()
    const most = Math.min(ServerLimits.answersPerCaller, Math.ceil(ServerLimits.answerBytesPerCaller / byteLength))
    const unread: Array<Response> = []
    while (unread.length < most) unread.push(await ask())
    const leave = new AbortController()
    const waiting = Array.from({ length: ServerLimits.answersWaiting }, () => ask(leave.signal))
    expect(await answerOf(await ask())).toMatchObject({ status: 429, body: { code: "too_many_at_once" } })
    leave.abort()
    expect(new Set((await Promise.all(waiting)).map((answer) => answer.status))).toEqual(new Set([499]))
    const next = ask()
    await unread[0]!.body!.cancel()
    expect((await next).status).toBe(200)
    await own.close()
  })
})
