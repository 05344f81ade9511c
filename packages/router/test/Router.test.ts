import fc from "fast-check"
import { AppOverLimit, AppRuntimeUnavailable, AppThrew, BundleUnusable } from "@pawl/core/app/AppRuntime"
import { PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import { ProbeClient } from "@pawl/core/release/ProbeClient"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { PointerCache } from "../src/PointerCache.ts"
import { Router } from "../src/Router.ts"
import { appsDomain, bytesOf, commit, header, makeWorld, ok, pointer, project, text } from "./World.ts"

const isPage = async (response: Awaited<ReturnType<Awaited<ReturnType<typeof makeWorld>>["ask"]>>, status: number) => {
  expect(response.status).toBe(status)
  expect(header(response, "content-type")).toBe("text/html; charset=utf-8")
  expect(header(response, "x-robots-tag")).toBe("noindex")
  const html = await text(response.body)
  expect(html).toContain('<meta name="robots" content="noindex">')
  expect(html).not.toMatch(/<script|\son\w+=|javascript:|https?:/i)
  return html
}

describe("hosts", () => {
  it("reach the app of their label and channel, under ids that never meet", async () => {
    const world = await makeWorld()
    const live = world.controls.rows[0]!
    world.controls.rows = [live, { ...live, channel: "preview:0a1b2c3d" }, { ...live, channel: "preview:v0000000" }]
    for (const host of ["shop", "0a1b2c3d--shop", "v0000000--shop"]) {
      const response = await world.ask("/p?q=1", { host: `${host}.${appsDomain}:8787` })
      expect(await text(response.body)).toBe("app")
      expect(header(response, "x-robots-tag")).toBe(host === "shop" ? undefined : "noindex")
    }
    expect(world.controls.seen.map(({ version }) => [version.id, version.channel])).toEqual([
      [`${project}@${commit}`, "production"],
      [`${project}@${commit}#preview:0a1b2c3d`, "preview:0a1b2c3d"],
      [`${project}@${commit}#preview:v0000000`, "preview:v0000000"]
    ])
    expect(world.controls.seen[0]!.request).toMatchObject({
      method: "GET",
      url: "http://shop.apps.localhost:8787/p?q=1"
    })
    expect(world.controls.seen[0]!.request.headers).toContainEqual(["host", "shop.apps.localhost:8787"])
  })

  it.each([
    "nobody.apps.localhost",
    "a.b.apps.localhost",
    "apps.localhost.evil.example",
    "localhost",
    "",
    "shop.apps.localhost@evil",
    "shop--x.apps.localhost",
    "shop.apps.localhost:99999"
  ])("%s answers 404 and no app", async (host) => {
    const world = await makeWorld()
    await isPage(await world.ask("/", { host }), 404)
    expect(world.controls.seen).toEqual([])
  })

  it("send the bare apex to the API and console", async () => {
    const world = await makeWorld()
    const response = await world.ask("/any", { host: "APPS.localhost:8787" })
    expect([response.status, header(response, "location")]).toEqual([301, "http://localhost:8787/"])
  })

  it("never make an app think that it is another host, whatever the Host header holds", async () => {
    const world = await makeWorld()
    const part = fc.constantFrom(
      "shop",
      ".",
      "apps.localhost",
      ":",
      "80",
      "@",
      "/",
      "evil",
      "--",
      "v0000000",
      "\\",
      "#",
      "?",
      "%00",
      " "
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        world.controls.seen = []
        await world.ask("/", { host: parts.join("") })
        for (const { request } of world.controls.seen)
          expect(new URL(request.url).hostname).toMatch(/^(v0000000--)?shop\.apps\.localhost$/)
      }),
      { numRuns: 500 }
    )
  })

  it("believe a proxy's host and scheme only when it is trusted", async () => {
    const headers = [
      ["x-forwarded-host", `shop.${appsDomain}`],
      ["x-forwarded-proto", "https"],
      ["x-forwarded-for", "203.0.113.9"]
    ] as const
    const trusting = await makeWorld({}, { trustProxy: true })
    await trusting.ask("/", { host: "10.0.0.1", headers })
    expect(trusting.controls.seen[0]!.request.url).toBe("https://shop.apps.localhost/")
    expect(trusting.controls.seen[0]!.request.headers).toContainEqual(["x-forwarded-for", "203.0.113.9, 192.0.2.7"])
    const wary = await makeWorld()
    await wary.ask("/", {
      headers: [
        ["x-forwarded-for", "203.0.113.9"],
        ["x-forwarded-host", "evil.example"]
      ]
    })
    expect(wary.controls.seen[0]!.request.headers).toContainEqual(["x-forwarded-for", "192.0.2.7"])
    expect(wary.controls.seen[0]!.request.headers).toContainEqual(["x-forwarded-host", "shop.apps.localhost"])
  })
})

describe("pages", () => {
  it.each([
    ["building", null, 503, "3"],
    ["build_failed", null, 503, "30"],
    ["limit_reached", null, 503, "60"],
    ["live", null, 503, "3"],
    ["removed", null, 410, undefined]
  ] as const)("a row %s without a bundle shows its page", async (status, bundle, expected, retryAfter) => {
    const world = await makeWorld()
    world.controls.rows = [pointer(bundle, { status })]
    const response = await world.ask()
    const html = await isPage(response, expected)
    expect(header(response, "retry-after")).toBe(retryAfter)
    expect(html.includes('http-equiv="refresh"')).toBe(expected === 503)
  })

  it.each(["building", "build_failed", "limit_reached", "live"] as const)(
    "a row %s with a good bundle goes on serving it",
    async (status) => {
      const world = await makeWorld()
      world.controls.rows = [pointer(world.stored, { status })]
      expect(await text((await world.ask()).body)).toBe("app")
    }
  )

  it("a removed row answers 410 though its bundle is still there, and so does a tombstone on every channel", async () => {
    const world = await makeWorld()
    world.controls.rows = [pointer(world.stored, { status: "removed" })]
    await isPage(await world.ask(), 410)
    world.controls.rows = []
    world.controls.tombstones.add("shop")
    await isPage(await world.ask("/", { host: `v0000001--shop.${appsDomain}` }), 410)
    expect(world.controls.seen).toEqual([])
  })

  it("stops what ran under a removed pointer, and nothing that is still served", async () => {
    const world = await makeWorld()
    const live = world.controls.rows[0]!
    const preview = { ...live, channel: "preview:0a1b2c3d" } as const
    world.controls.rows = [live, preview]
    await world.ask()
    await world.ask("/", { host: `0a1b2c3d--shop.${appsDomain}` })
    const stopRemoved = Effect.flatMap(Router, (router) => router.stopRemoved("shop"))
    await world.run(stopRemoved)
    expect(world.controls.stopped).toEqual([])
    world.controls.rows = [live]
    await world.run(stopRemoved)
    expect(world.controls.stopped).toEqual([`${live.projectId}@${live.commit}#preview:0a1b2c3d`])
    world.controls.rows = [{ ...live, status: "removed" }]
    await world.run(Effect.andThen(stopRemoved, stopRemoved))
    expect(world.controls.stopped.slice(1)).toEqual([`${live.projectId}@${live.commit}`])
  })

  it("turns 410 with the very next request after the push", async () => {
    const world = await makeWorld()
    expect((await world.ask()).status).toBe(200)
    world.controls.rows = [pointer(world.stored, { status: "removed" })]
    await world.run(Effect.flatMap(PointerCache, (cache) => cache.invalidate("shop")))
    expect((await world.ask()).status).toBe(410)
  })

  it.each([
    ["threw", new AppThrew({ version: "v", reason: "secret stack" }), 502, undefined],
    ["went over a limit", new AppOverLimit({ version: "v", limit: "cpu", retryAfterSeconds: 1.2 }), 503, "2"],
    ["has an unusable bundle", new BundleUnusable({ version: "v", reason: "secret" }), 503, "5"],
    ["has no runtime", new AppRuntimeUnavailable({ reason: "secret" }), 503, "5"]
  ] as const)("an app that %s shows its page, without the reason", async (_what, failure, status, retryAfter) => {
    const world = await makeWorld()
    world.controls.app = () => Effect.fail(failure)
    const response = await world.ask()
    expect(await isPage(response, status)).not.toContain("secret")
    expect(header(response, "retry-after")).toBe(retryAfter)
  })

  it("answers 503 when pointers cannot be read, and when something impossible happened", async () => {
    const world = await makeWorld()
    world.controls.beforeLookup = new PointerSourceUnavailable({ reason: "down" })
    expect(await isPage(await world.ask(), 503)).toContain("Back in a moment")
    world.controls.beforeLookup = Effect.void
    world.controls.app = () => Effect.die("impossible")
    expect(await isPage(await world.ask(), 503)).toContain("Back in a moment")
  })

  it("has no body for HEAD, and asks no POST to be repeated", async () => {
    const world = await makeWorld()
    world.controls.rows = [pointer(null, { status: "building" })]
    const head = await world.ask("/", { method: "HEAD" })
    expect([head.status, head.body]).toEqual([503, null])
    expect(Number(header(head, "content-length"))).toBeGreaterThan(500)
    expect(await text((await world.ask("/", { method: "POST" })).body)).not.toContain('refresh"')
  })

  it("shows the host as text, not as markup", async () => {
    const world = await makeWorld()
    world.controls.rows = []
    expect(await isPage(await world.ask(), 404)).toContain("shop.apps.localhost")
  })
})

describe("the reserved prefix", () => {
  it.each([
    "/__service/",
    "/__service",
    "/__service/injected-missing-route",
    "/%5f%5fservice/x",
    "//__service/x",
    "/a/../__service/x",
    "/a/%2e%2e/__service/x",
    "/.%2f__service/x",
    "/x%2f..%2f__service/y",
    "\\__service\\x",
    "/__service%2Fx"
  ])("%s never reaches an app", async (path) => {
    const world = await makeWorld({ runWorkerFirst: true })
    await isPage(await world.ask(path), 404)
    expect(world.controls.seen).toEqual([])
  })
  it.each(["/__services", "/a/__service/", "/__SERVICE/", "/?x=/__service/"])("%s does", async (path) => {
    expect((await (await makeWorld()).ask(path)).status).toBe(200)
  })
})

describe("what passes between visitor and app", () => {
  it("are its own cookies under the prefix, and nobody else's", async () => {
    const world = await makeWorld()
    world.controls.app = () =>
      Effect.succeed(
        ok("", [
          ["set-cookie", "sid=1; Path=/"],
          ["set-cookie", "wide=1; Domain=localhost"],
          ["set-cookie", "b=2"]
        ])
      )
    const response = await world.ask("/", {
      headers: [
        ["cookie", "__client_uat=1; rba_sid=1"],
        ["cf-access-jwt-assertion", "x"],
        ["authorization", "Bearer pawl_x"]
      ]
    })
    expect(response.headers.filter(([name]) => name === "set-cookie")).toEqual([
      ["set-cookie", "rba_sid=1; Path=/"],
      ["set-cookie", "rba_b=2"]
    ])
    const seen = world.controls.seen[0]!.request.headers
    expect(seen.filter(([name]) => name === "cookie")).toEqual([["cookie", "sid=1"]])
    expect(seen.some(([name]) => name.startsWith("cf-access") || name === "authorization")).toBe(false)
  })

  it("is the body, unread by the router, in both directions", async () => {
    const world = await makeWorld()
    const sent = bytesOf("a", "b")
    const answered = bytesOf("c")
    world.controls.app = () => Effect.succeed({ status: 201, headers: [], body: answered })
    const response = await world.ask("/", { method: "PUT", body: sent })
    expect(world.controls.seen[0]!.request.body).toBe(sent)
    expect(response.body).toBe(answered)
  })

  it("are only statuses of HTTP responses, and no body where there is none", async () => {
    const world = await makeWorld()
    for (const status of [101, 0, 600, 200.5, Number.NaN]) {
      world.controls.app = () => Effect.succeed({ status, headers: [], body: null })
      await isPage(await world.ask(), 502)
    }
    let released = 0
    async function* body() {
      try {
        yield new Uint8Array(1)
      } finally {
        released++
      }
    }
    world.controls.app = () => Effect.succeed({ status: 204, headers: [["content-length", "1"]], body: body() })
    expect(await world.ask()).toEqual({ status: 204, headers: [], body: null })
    world.controls.app = () =>
      Effect.succeed({
        status: 200,
        headers: [["content-length", "1"]],
        body: {
          [Symbol.asyncIterator]: () => ({
            next: () => Promise.reject(new Error("read")),
            return: () => (released++, Promise.resolve({ done: true as const, value: undefined }))
          })
        }
      })
    expect(await world.ask("/", { method: "HEAD" })).toEqual({
      status: 200,
      headers: [["content-length", "1"]],
      body: null
    })
    expect(released).toBe(1)
  })

  it("stops the app's work when the visitor's fiber is interrupted", async () => {
    const world = await makeWorld()
    let stopped = false
    world.controls.app = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (stopped = true)))
    const controller = new AbortController()
    const asked = world.runtime.runPromise(
      Effect.flatMap(Router, (router) =>
        router.handle({
          method: "GET",
          headers: [],
          body: null,
          host: `shop.${appsDomain}`,
          remoteAddress: "",
          secure: false,
          url: "http://x/"
        })
      ),
      { signal: controller.signal }
    )
    while (world.controls.seen.length === 0) await new Promise(setImmediate)
    controller.abort()
    await expect(asked).rejects.toBeDefined()
    expect(stopped).toBe(true)
  })
})

describe("release probes", () => {
  const probe = (world: Awaited<ReturnType<typeof makeWorld>>, path = "/", timeoutMs = 5000) =>
    world.run(
      Effect.result(
        Effect.flatMap(ProbeClient, (client) => client.get({ label: "shop", channel: "production", path, timeoutMs }))
      )
    )

  it("read the pointer of this very moment, and answer status, type and body", async () => {
    const world = await makeWorld()
    expect((await world.ask()).status).toBe(200)
    world.controls.app = () => Effect.succeed(ok("[1]", [["content-type", "application/json"]]))
    const found = await probe(world, "/api/products?x=1")
    expect(found).toMatchObject({
      success: { status: 200, contentType: "application/json", body: new TextEncoder().encode("[1]") }
    })
    expect(world.controls.seen.at(-1)!.request.url).toBe("http://shop.apps.localhost:8787/api/products?x=1")
    world.controls.rows = []
    expect(await probe(world)).toMatchObject({ success: { status: 404 } })
    expect((await world.ask()).status).toBe(200)
  })

  it("see a 404 under the reserved prefix, a 502 from an app that threw, a 503 from a missing bundle", async () => {
    const world = await makeWorld()
    expect(await probe(world, "/__service/injected-missing-route")).toMatchObject({ success: { status: 404 } })
    world.controls.app = () => Effect.fail(new AppThrew({ version: "v", reason: "x" }))
    expect(await probe(world)).toMatchObject({ success: { status: 502 } })
    world.controls.rows = [pointer({ key: `apps/${project}/${commit}/none.json`, digest: "0".repeat(64) })]
    expect(await probe(world)).toMatchObject({ success: { status: 503 } })
  })

  it("are unanswered, never failed, when the machinery before the app is down or slow", async () => {
    const world = await makeWorld()
    world.controls.app = () => Effect.fail(new AppRuntimeUnavailable({ reason: "no process" }))
    expect(await probe(world)).toMatchObject({ failure: { _tag: "ProbeUnanswered" } })
    expect(await probe(world)).not.toMatchObject({ failure: { away: true } })
    world.controls.app = () => Effect.fail(new AppRuntimeUnavailable({ reason: "the object store: away", away: true }))
    expect(await probe(world)).toMatchObject({ failure: { _tag: "ProbeUnanswered", away: true } })
    world.controls.beforeLookup = new PointerSourceUnavailable({ reason: "down" })
    expect(await probe(world)).toMatchObject({ failure: { _tag: "ProbeUnanswered", away: true } })
    world.controls.beforeLookup = Effect.void
    world.controls.app = () => Effect.never
    expect(await probe(world, "/", 10)).toMatchObject({ failure: { _tag: "ProbeUnanswered" } })
    world.controls.app = () =>
      Effect.succeed({
        status: 200,
        headers: [],
        body: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }
      })
    expect(await probe(world, "/", 10)).toMatchObject({ failure: { _tag: "ProbeUnanswered" } })
    expect(await probe(world, "//evil.example@x")).not.toMatchObject({ success: { status: 200 } })
    expect(await probe(world, "no-slash")).toMatchObject({ failure: { _tag: "ProbeUnanswered" } })
  })

  it("take no more than a probe's bytes of an endless body", async () => {
    const world = await makeWorld()
    async function* endless() {
      for (;;) yield new Uint8Array(100_000)
    }
    world.controls.app = () => Effect.succeed({ status: 200, headers: [], body: endless() })
    const found = await probe(world)
    expect(found._tag === "Success" && found.success.body.length).toBe(Limits.probeBodyBytes)
  })
})
