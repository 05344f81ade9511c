import { RouterLimits } from "@pawl/router/RouterLimits"
import { AssetServer } from "@pawl/core/app/AssetServer"
import type { HeaderRule, RedirectRule } from "@pawl/core/bundle/Bundle"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { changeFor, headerRulesOf, isOwned, redirectFor, redirectsOf } from "../src/AssetRules.ts"
import { header, makeWorld, project, text } from "./World.ts"

const files = {
  "index.html": "home",
  "a.txt": "aaa",
  "b.txt": "bbb",
  "news/one.html": "one",
  "404.html": "lost",
  "sp ace@.txt": "space"
}
const line = (from: string, to: string, status: RedirectRule["status"] = 302): RedirectRule => ({ from, to, status })
const rule = (path: string, set: HeaderRule["set"], unset: ReadonlyArray<string> = []): HeaderRule => ({
  path,
  set,
  unset
})

describe("_redirects", () => {
  it.each([
    ["a path", line("/home", "/", 301), "/home", 301, "/"],
    ["the visitor's query goes along", line("/home", "/x"), "/home?q=1", 302, "/x?q=1"],
    [
      "the rule's own query wins, and its fragment stays",
      line("/home", "/x?own=1#part"),
      "/home?q=1",
      302,
      "/x?own=1#part"
    ],
    [
      "another host",
      line("/twitch", "https://twitch.example/me", 308),
      "/twitch?q=1",
      308,
      "https://twitch.example/me?q=1"
    ],
    ["a splat", line("/blog/*", "https://blog.example/:splat", 303), "/blog/a/b", 303, "https://blog.example/a/b"],
    ["placeholders", line("/p/:code/:name", "/q?code=:code&name=:name", 307), "/p/1/x", 307, "/q?code=1&name=x"],
    ["a file that is there is not shown instead", line("/a.txt", "/b.txt"), "/a.txt", 302, "/b.txt"]
  ])("%s", async (_what, redirect, path, status, location) => {
    const world = await makeWorld({ files, redirects: [redirect] })
    const response = await world.ask(path)
    expect([response.status, header(response, "location"), response.body]).toEqual([status, location, null])
    expect(world.controls.seen).toEqual([])
  })

  it("apply to every method, before files and app", async () => {
    const world = await makeWorld({ files, redirects: [line("/old", "/new", 308)] })
    expect((await world.ask("/old", { method: "POST" })).status).toBe(308)
    expect((await world.ask("/new", { method: "POST" })).status).toBe(200)
  })

  it("never apply where the app goes first", async () => {
    const redirects = [line("/*", "/x")]
    const first = await makeWorld({ files, redirects, runWorkerFirst: true })
    expect(await text((await first.ask("/old")).body)).toBe("app")
    const some = await makeWorld({ files, redirects, runWorkerFirst: ["/api/*"] })
    expect(await text((await some.ask("/api/old")).body)).toBe("app")
    expect((await some.ask("/old")).status).toBe(302)
  })

  it("200 shows another file where the visitor is, follows no second rule, and does not fall to the app", async () => {
    const world = await makeWorld({
      files,
      redirects: [
        line("/x", "/b.txt", 200),
        line("/b.txt", "/a.txt", 200),
        line("/users/*", "/news/:splat", 200),
        line("/gone", "/none", 200)
      ]
    })
    expect(await text((await world.ask("/x")).body)).toBe("bbb")
    expect(await text((await world.ask("/b.txt")).body)).toBe("aaa")
    expect(await text((await world.ask("/users/one")).body)).toBe("one")
    expect((await world.ask("/gone")).status).toBe(404)
    expect((await world.ask("/users/two", { method: "POST" })).status).toBe(404)
    expect(world.controls.seen).toEqual([])
  })

  it("lines of single paths come first, then patterns from the top", () => {
    const redirects = redirectsOf([line("/a", "/1"), line("/*", "/2"), line("/a", "/3"), line("/b", "/4")])!
    expect(redirectFor(redirects, "/a", "")).toMatchObject({ to: "/1" })
    expect(redirectFor(redirects, "/b", "")).toMatchObject({ to: "/2" })
    expect(redirectsOf([])).toBe(null)
  })

  it.each([
    ["/x/*", "/:splat", "/x//evil.example", "/evil.example"],
    ["/x/*", "/:splat", "/x/.//evil.example", "/evil.example"],
    ["/x/*", "/.//:splat", "/x/evil.example", "/evil.example"],
    ["/x/*", "/:splat", "/x/%5Cevil.example", "/%5Cevil.example"],
    ["/x/*", "/\\:splat", "/x/evil.example", "/evil.example"],
    ["/x/*", "/a/:splat", "/x/%0d%0aset-cookie:x=1", "/a/%0d%0aset-cookie:x=1"]
  ])("%s to %s, asked for %s, stays on the app's host: %s", async (from, to, path, location) => {
    const world = await makeWorld({ files, redirects: [line(from, to)] })
    expect(header(await world.ask(path), "location")).toBe(location)
  })

  it("that lead to nothing that can be written are passed over", async () => {
    for (const to of [
      "javascript:alert(1)",
      "/\t/evil.example",
      "//evil.example",
      "https://",
      "http://plain.example/",
      "data:text/html,x"
    ]) {
      const location = header(await (await makeWorld({ files, redirects: [line("/x", to)] })).ask("/x"), "location")
      expect(location ?? "/").toMatch(/^\/(?!\/)/)
    }
  })
})

describe("_headers", () => {
  it("go with the files of their paths, and with nothing else", async () => {
    const headers = [rule("/a.txt", [["x-frame-options", "DENY"]]), rule("/app/*", [["x-app", "1"]])]
    const world = await makeWorld({ files, headers, redirects: [line("/app/old", "/new")] })
    expect(header(await world.ask("/a.txt"), "x-frame-options")).toBe("DENY")
    expect(header(await world.ask("/b.txt"), "x-frame-options")).toBe(undefined)
    for (const path of ["/app/x", "/app/old"]) expect(header(await world.ask(path), "x-app")).toBe(undefined)
    expect(header(await world.ask("/a.txt", { method: "POST" }), "x-frame-options")).toBe(undefined)
  })

  it("stand also on 304, on a part and on a not-found page", async () => {
    const headers = [
      rule("/*", [
        ["x-all", "1"],
        ["cache-control", "public, max-age=31536000, immutable"]
      ])
    ]
    const world = await makeWorld({ files, headers, worker: false, notFoundHandling: "404-page" })
    const etag = header(await world.ask("/a.txt"), "etag")!
    const answers = [
      await world.ask("/a.txt"),
      await world.ask("/a.txt", { headers: [["if-none-match", etag]] }),
      await world.ask("/a.txt", { headers: [["range", "bytes=0-0"]] }),
      await world.ask("/none")
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 206, 404])
    for (const answer of answers) {
      expect(header(answer, "x-all")).toBe("1")
      expect(answer.headers.filter(([name]) => name === "cache-control")).toHaveLength(1)
      expect(header(answer, "cache-control")).toBe("public, max-age=31536000, immutable")
    }
  })

  it("of several rules are joined, what one removes is gone, and what the router gave is replaced", async () => {
    const headers = [
      rule("/*", [
        ["x-robots-tag", "nosnippet"],
        ["link", "</a>"],
        ["content-type", "text/x-own"],
        ["x-away", "1"]
      ]),
      rule("/a.txt", [["x-robots-tag", "noindex"]], ["link", "x-away", "cache-control"])
    ]
    const response = await (await makeWorld({ files, headers })).ask("/a.txt")
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-robots-tag": "nosnippet, noindex",
      "content-type": "text/x-own"
    })
    for (const name of ["link", "x-away", "cache-control"]) expect(header(response, name)).toBe(undefined)
  })

  it("fill in what their path matched, and know hosts", async () => {
    const headers = [
      rule("/news/*", [["x-what", "it is :splat"]]),
      rule("/:file.txt", [["x-file", ":file"]]),
      rule("https://:app.apps.localhost/*", [["x-app", ":app"]]),
      rule("https://other.example/*", [["x-other", "1"]])
    ]
    const world = await makeWorld({ files, headers })
    expect(header(await world.ask("/news/one"), "x-what")).toBe("it is one")
    const response = await world.ask("/a.txt", { host: "shop.apps.localhost:8787" })
    expect([header(response, "x-file"), header(response, "x-app"), header(response, "x-other")]).toEqual([
      "a",
      "shop",
      undefined
    ])
  })

  it("cannot forge what is the router's or the connection's", async () => {
    const names = [
      "content-length",
      "content-range",
      "transfer-encoding",
      "connection",
      "keep-alive",
      "upgrade",
      "trailer",
      "x-pawl-version",
      "x_pawl_version",
      "x-forwarded-host",
      "cf-access-jwt-assertion",
      "x-accel-redirect",
      "x-sendfile",
      "alt-svc",
      "bad name",
      "bad\r\nname"
    ]
    for (const name of names) expect([name, isOwned(name)]).toEqual([name, true])
    const headers = [rule("/*", [...names.map((name) => [name, "999"] as const), ["x-split", "a\r\nx-evil: 1"]], names)]
    const response = await (await makeWorld({ files, headers })).ask("/a.txt")
    expect(response.headers.map(([name]) => name).sort()).toEqual([
      "accept-ranges",
      "cache-control",
      "content-length",
      "content-type",
      "etag"
    ])
    expect(header(response, "content-length")).toBe("3")
  })

  it("set cookies under the prefix and on the app's own host alone, whatever the path puts into them", async () => {
    const headers = [
      rule("/*", [
        ["set-cookie", "seen=:splat; Path=/"],
        ["set-cookie", "wide=1; Domain=apps.localhost"]
      ])
    ]
    const world = await makeWorld({ files, headers, worker: false, notFoundHandling: "404-page" })
    const cookies = async (path: string) =>
      (await world.ask(path)).headers.filter(([name]) => name === "set-cookie").map(([, value]) => value)
    expect(await cookies("/a.txt")).toEqual(["rba_seen=a.txt; Path=/"])
    expect(await cookies("/x;Domain=apps.localhost")).toEqual([])
  })

  it("are remembered for some paths, never for all that visitors think of", () => {
    const rules = headerRulesOf([rule("/*", [["x-path", ":splat"]])])!
    for (let n = 0; n < 3 * RouterLimits.routerRulePaths; n++)
      expect(changeFor(rules, `/${n}`, "h")!.set).toEqual([["x-path", String(n)]])
    expect(rules.known.size).toBeLessThanOrEqual(RouterLimits.routerRulePaths)
  })
})

describe("run_worker_first", () => {
  it("of patterns asks the app first where one fits, and never where an exception fits", async () => {
    const world = await makeWorld({
      files: { ...files, "api/x.txt": "file", "api/docs/y.txt": "docs" },
      notFoundHandling: "404-page",
      runWorkerFirst: ["/api/*", "!/api/docs/*"]
    })
    const said = async (path: string) => text((await world.ask(path)).body)
    expect(await said("/api/x.txt")).toBe("app")
    expect(await said("/api/docs/y.txt")).toBe("docs")
    // Also where there is no file: the exception's paths are the files' alone.
    expect(await said("/api/docs/none")).toBe("lost")
    expect(await said("/a.txt")).toBe("aaa")
    expect(await said("/other")).toBe("app")
  })
})

describe("the one path of a file", () => {
  it.each([
    ["/%61.txt", "/a.txt"],
    ["/sp%20ace@.txt?q=1", "/sp%20ace%40.txt?q=1"],
    ["/new%73/one", "/news/one"]
  ])("%s is at %s, so that rules see one spelling", async (path, location) => {
    const response = await (await makeWorld({ files })).ask(path)
    expect([response.status, header(response, "location")]).toEqual([307, location])
  })
  it("is not asked of a page that stands in for another", async () => {
    const spa = await makeWorld({ files, worker: false, notFoundHandling: "single-page-application" })
    expect(await text((await spa.ask("/@someone")).body)).toBe("home")
  })
})

describe("env.ASSETS with rules", () => {
  it("applies redirects and headers, also when the app goes first, and gives cookies as the app wrote them", async () => {
    const world = await makeWorld({
      files,
      runWorkerFirst: true,
      redirects: [line("/old", "/a.txt", 301), line("/x", "/b.txt", 200)],
      headers: [
        rule("/a.txt", [
          ["x-own", "1"],
          ["set-cookie", "sid=1; Path=/"]
        ])
      ]
    })
    const version = {
      id: "v",
      project,
      channel: "production",
      bundleKey: world.stored.key,
      bundleDigest: world.stored.digest
    }
    const fetch = (path: string) =>
      world.run(
        Effect.flatMap(AssetServer, (server) =>
          server.fetch(version, { method: "GET", url: `https://assets.local${path}`, headers: [], body: null })
        )
      )
    const old = await fetch("/old")
    expect([old.status, header(old, "location")]).toEqual([301, "/a.txt"])
    const file = await fetch("/a.txt")
    expect([header(file, "x-own"), header(file, "set-cookie")]).toEqual(["1", "sid=1; Path=/"])
    expect(await text((await fetch("/x")).body)).toBe("bbb")
    const none = await fetch("/none")
    expect([none.status, none.body]).toEqual([404, null])
  })
})
