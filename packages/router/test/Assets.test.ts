import { AssetServer } from "@pawl/core/app/AssetServer"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { byteRange } from "@pawl/core/primitives/Conditional"
import { commit, header, makeWorld, project, text } from "./World.ts"

const files = {
  "index.html": "home",
  "a.txt": "0123456789",
  "empty.txt": "",
  "404.html": "lost",
  "docs/index.html": "docs",
  "ü/ß.txt": "sharp"
}
const prefix = `apps/${project}/${commit}/`

describe("static files", () => {
  it("come before the app, with their type, tag and caching", async () => {
    const world = await makeWorld({ files })
    const response = await world.ask("/a.txt?x=1")
    expect(await text(response.body)).toBe("0123456789")
    expect(Object.fromEntries(response.headers)).toEqual({
      etag: `"${await Effect.runPromise(sha256("0123456789"))}"`,
      "cache-control": "public, max-age=0, must-revalidate",
      "content-type": "text/plain; charset=utf-8",
      "content-length": "10",
      "accept-ranges": "bytes"
    })
    expect(await text((await world.ask("/%C3%BC/%C3%9F.txt")).body)).toBe("sharp")
    expect(await text((await world.ask("/")).body)).toBe("home")
    expect(world.controls.seen).toEqual([])
    expect(await text((await world.ask("/api")).body)).toBe("app")
  })

  it("come after it when it asked to run first", async () => {
    const world = await makeWorld({ files, runWorkerFirst: true })
    expect(await text((await world.ask("/a.txt")).body)).toBe("app")
  })

  it("send to the canonical path with the query kept", async () => {
    const world = await makeWorld({ files })
    const response = await world.ask("/docs?a=b")
    expect([response.status, header(response, "location")]).toEqual([307, "/docs/?a=b"])
  })

  it("answer GET and HEAD only", async () => {
    const world = await makeWorld({ files })
    const head = await world.ask("/a.txt", { method: "HEAD" })
    expect([head.status, head.body, header(head, "content-length")]).toEqual([200, null, "10"])
    const post = await world.ask("/a.txt", { method: "POST" })
    expect([post.status, header(post, "allow")]).toEqual([405, "GET, HEAD"])
    expect((await world.ask("/api", { method: "POST" })).status).toBe(200)
  })

  it("leave what is not found to the app, but for a browser that opens a page", async () => {
    const navigate = { headers: [["sec-fetch-mode", "navigate"]] as const }
    const spa = await makeWorld({ files, notFoundHandling: "single-page-application" })
    expect(await text((await spa.ask("/route")).body)).toBe("app")
    expect(await text((await spa.ask("/route", navigate)).body)).toBe("home")
    const old = await makeWorld({ files, notFoundHandling: "single-page-application", compatibilityDate: "2025-03-31" })
    expect(await text((await old.ask("/route", navigate)).body)).toBe("app")
    const lost = await (await makeWorld({ files, notFoundHandling: "404-page" })).ask("/route", navigate)
    expect([lost.status, await text(lost.body)]).toEqual([404, "lost"])
  })

  it("are a whole app without a worker: not-found page, or the router's own", async () => {
    const lost = await (await makeWorld({ files, worker: false, notFoundHandling: "404-page" })).ask("/x/y")
    expect([lost.status, await text(lost.body)]).toEqual([404, "lost"])
    const spa = await (
      await makeWorld({ files, worker: false, runWorkerFirst: true, notFoundHandling: "single-page-application" })
    ).ask("/x/y")
    expect([spa.status, await text(spa.body)]).toEqual([200, "home"])
    const none = await (await makeWorld({ files, worker: false })).ask("/x/y")
    expect([none.status, await text(none.body)]).toEqual([404, expect.stringContaining("Page not found")])
  })

  it.each([
    "/..%2fbundle.json",
    "/%2e%2e/bundle.json",
    "/../bundle.json",
    "/docs%2findex.html",
    "/docs%5cindex.html",
    "/./..//bundle.json",
    "/constructor",
    "/__proto__",
    "//a.txt"
  ])("are never reached by %s", async (path) => {
    const response = await (await makeWorld({ files, worker: false })).ask(path)
    expect(response.status).toBe(404)
  })
})

describe("validators and ranges", () => {
  it("answer 304 to whoever has the file, without reading it", async () => {
    const world = await makeWorld({ files })
    const etag = header(await world.ask("/a.txt"), "etag")!
    const reads = world.controls.objectReads
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const response = await world.ask("/a.txt", { headers: [["if-none-match", value]] })
      expect([response.status, response.body, header(response, "etag")]).toEqual([304, null, etag])
    }
    expect((await world.ask("/a.txt", { headers: [["if-none-match", '"other"']] })).status).toBe(200)
    expect(world.controls.objectReads).toBe(reads)
  })

  it.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=9-99", 206, "9", "bytes 9-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=3-2", 200, "0123456789", undefined],
    ["bytes=0-1,3-4", 200, "0123456789", undefined],
    ["items=0-1", 200, "0123456789", undefined],
    ["bytes=x", 200, "0123456789", undefined]
  ])("serve Range %s with %i", async (range, status, body, contentRange) => {
    const world = await makeWorld({ files })
    const response = await world.ask("/a.txt", { headers: [["range", range]] })
    expect([
      response.status,
      await text(response.body),
      header(response, "content-range"),
      header(response, "content-length")
    ]).toEqual([status, body, contentRange, String(body.length)])
  })

  it("serve a range only of the very file that If-Range names, and none of an empty file", async () => {
    const world = await makeWorld({ files })
    const etag = header(await world.ask("/a.txt"), "etag")!
    expect(
      (
        await world.ask("/a.txt", {
          headers: [
            ["range", "bytes=0-1"],
            ["if-range", etag]
          ]
        })
      ).status
    ).toBe(206)
    expect(
      (
        await world.ask("/a.txt", {
          headers: [
            ["range", "bytes=0-1"],
            ["if-range", '"old"']
          ]
        })
      ).status
    ).toBe(200)
    expect(byteRange("bytes=0-", 0)).toBe("unsatisfiable")
    expect((await world.ask("/empty.txt")).status).toBe(200)
  })
})

describe("bytes", () => {
  const put = (key: string, body: string) => Effect.flatMap(ObjectStore, (objects) => objects.put(key, utf8(body)))
  const remove = (key: string) => Effect.flatMap(ObjectStore, (objects) => objects.remove(key))

  it("that are not what was built are never served", async () => {
    const world = await makeWorld({ files })
    await world.run(put(`${prefix}assets/a.txt`, "9876543210"))
    const corrupt = await world.ask("/a.txt")
    expect([corrupt.status, (await text(corrupt.body)).includes("9876")]).toEqual([503, false])
    expect((await world.ask("/a.txt", { headers: [["range", "bytes=0-1"]] })).status).toBe(503)
    await world.run(remove(`${prefix}assets/a.txt`))
    expect((await world.ask("/a.txt")).status).toBe(503)
    await world.run(put(`${prefix}assets/a.txt`, "0123456789"))
    expect(await text((await world.ask("/a.txt")).body)).toBe("0123456789")
  })

  it("of another bundle than the pointer names are refused, whole app and all", async () => {
    const world = await makeWorld({ files })
    await world.run(put(`${prefix}bundle.json`, "{}"))
    expect((await world.ask("/a.txt")).status).toBe(503)
    expect((await world.ask("/api")).status).toBe(503)
    await world.run(remove(`${prefix}bundle.json`))
    expect((await world.ask("/api")).status).toBe(503)
    expect(world.controls.seen).toEqual([])
  })

  it("are read once for many visitors", async () => {
    const world = await makeWorld({ files })
    await Promise.all(Array.from({ length: 50 }, () => world.ask("/a.txt")))
    expect(world.controls.objectReads).toBe(2)
  })
})

describe("env.ASSETS", () => {
  it("sees the same files, whatever the host, and a bare 404", async () => {
    const world = await makeWorld({ files, runWorkerFirst: true, notFoundHandling: "404-page" })
    const version = {
      id: "v",
      project,
      channel: "production",
      bundleKey: world.stored.key,
      bundleDigest: world.stored.digest
    }
    const fetch = (path: string, method = "GET") =>
      world.run(
        Effect.flatMap(AssetServer, (server) =>
          server.fetch(version, { method, url: `https://assets.local${path}`, headers: [], body: null })
        )
      )
    expect(await text((await fetch("/a.txt")).body)).toBe("0123456789")
    expect((await fetch("/a.txt", "PUT")).status).toBe(405)
    expect((await fetch("/docs")).status).toBe(307)
    const lost = await fetch("/x")
    expect([lost.status, await text(lost.body)]).toEqual([404, "lost"])
    const bare = await makeWorld({ files: {} })
    const response = await bare.run(
      Effect.flatMap(AssetServer, (server) =>
        server.fetch(
          { ...version, bundleKey: bare.stored.key, bundleDigest: bare.stored.digest },
          { method: "GET", url: "https://a/x", headers: [], body: null }
        )
      )
    )
    expect(response).toEqual({ status: 404, headers: [["content-length", "0"]], body: null })
  })
})
