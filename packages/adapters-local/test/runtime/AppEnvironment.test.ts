import { createServer } from "node:http"
import { inspect } from "node:util"
import { AppData } from "@pawl/core/app/AppData"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { type AppSource, hex, install, openWorld, project } from "./RuntimeWorld.ts"

const world = openWorld()
afterAll(() => world.dispose())

const get = (version: AppVersion, path = "/", headers: ReadonlyArray<readonly [string, string]> = []) =>
  world.runPromise(
    Effect.gen(function* () {
      const response = yield* Effect.flatMap(AppRuntime, (runtime) =>
        runtime.fetch(version, ask(`http://app.apps.localhost${path}`, { headers }))
      )
      return {
        status: response.status,
        headers: response.headers,
        text: yield* Effect.promise(() => bodyText(response.body))
      }
    })
  )
const app = (name: string, source: AppSource) => world.runPromise(install(source, name))
const json = async (version: AppVersion, path = "/"): Promise<unknown> => JSON.parse((await get(version, path)).text)

describe("what an app sees", () => {
  it("has exactly ASSETS and DATA in its environment, and nothing of the host", async () => {
    const version = await app("p@env", {
      main: `import { env as imported } from "cloudflare:workers"
        export default { async fetch(request, env, ctx) {
          return Response.json({ env: Object.keys(env).sort(), imported: Object.keys(imported).sort(), props: ctx.props ?? {}, exports: Object.keys(ctx.exports ?? {}),
            process: typeof process, cf: request.cf ?? null, headers: [...request.headers.keys()] })
        } }`
    })
    expect(await json(version)).toEqual({
      env: ["ASSETS", "DATA"],
      imported: ["ASSETS", "DATA"],
      props: {},
      exports: expect.any(Array),
      process: "undefined",
      cf: null,
      headers: []
    })
  })

  it("cannot be told anything by a visitor's private headers, nor tell by its own", async () => {
    const version = await app("p@headers", {
      main: `export default { async fetch(request) {
        return new Response(JSON.stringify([...request.headers].filter(([name]) => name !== "connection")), { headers: { "x-pawl-outcome": "threw", "x-pawl-refused": "1", "x-own": "1" } }) } }`
    })
    const answer = await get(version, "/", [
      ["x-pawl-cf", "{}"],
      ["X-Pawl-Outcome", "threw"],
      ["x-seen", "1"],
      ["connection", "upgrade"],
      ["upgrade", "websocket"]
    ])
    expect(JSON.parse(answer.text)).toEqual([["x-seen", "1"]])
    expect(answer.headers.map(([name]) => name.toLowerCase())).toEqual(expect.arrayContaining(["x-own"]))
    expect(answer.headers.filter(([name]) => name.toLowerCase().startsWith("x-pawl"))).toEqual([])
  })

  it("gets text, JSON, data and WebAssembly modules, also those stored apart", async () => {
    const wasm = Buffer.from("0061736d010000000105016000017f030201000707010372756e00000a06010400412a0b", "hex")
    const version = await app("p@modules", {
      main: `import note from "./note.txt"; import config from "./config.json"; import blob from "./blob.bin"; import wasm from "./answer.wasm"
        import { twice } from "../lib/twice.js"
        export default { async fetch() {
          return Response.json([note, config.deep, [...new Uint8Array(blob)], (await WebAssembly.instantiate(wasm)).exports.run(), twice(4)]) } }`,
      modules: {
        "src/note.txt": { type: "text", sha256: "0".repeat(64), content: "grüß" },
        "src/config.json": { type: "json", sha256: "0".repeat(64), content: `{"deep":{"a":1}}` },
        "src/blob.bin": { type: "data", sha256: "0".repeat(64), content: Buffer.from([0, 255, 7]).toString("base64") },
        "src/answer.wasm": { type: "wasm", sha256: hex(wasm), object: "modules/answer.wasm" },
        "lib/twice.js": { type: "esm", sha256: "0".repeat(64), content: "export const twice = (n) => 2 * n" }
      },
      objects: { "modules/answer.wasm": wasm }
    })
    expect(await json(version)).toEqual(["grüß", { a: 1 }, [0, 255, 7], 42, 8])
  })

  it("keeps data by channel, and hears which bound a refused call breaks", async () => {
    const source = {
      main: `export default { async fetch(request, env) {
        const said = async (call) => { try { return await call() } catch (error) { return error.message } }
        const { pathname } = new URL(request.url)
        if (pathname === "/write") { await env.DATA.put("a", "1"); await env.DATA.put("b/2", "zwei"); await env.DATA.put("b/1", "eins"); await env.DATA.delete("a") }
        return Response.json([await env.DATA.get("a"), await env.DATA.get("b/1"), await env.DATA.list({ prefix: "b/", limit: 1 }), await env.DATA.list(),
          await said(() => env.DATA.put("k".repeat(513), "v")), await said(() => env.DATA.put("k", "v".repeat(131073))), await said(() => env.DATA.put("k", "v".repeat(20_000_000))),
          await said(() => env.DATA.put("k", 7)), await said(() => env.DATA.get()), await said(() => env.DATA.wipe())]) } }`,
      date: "2026-10-01"
    }
    const version = await app("p@data", source)
    const [a, b1, listed, all, longKey, longValue, hugeValue, notText, noKey, wipe] = (await json(
      version,
      "/write"
    )) as Array<unknown>
    expect([a, b1]).toEqual([null, "eins"])
    expect(listed).toEqual({ keys: [{ name: "b/1" }], complete: false })
    expect(all).toEqual({ keys: [{ name: "b/1" }, { name: "b/2" }], complete: true })
    expect([longKey, longValue, hugeValue, notText, noKey, wipe]).toEqual([
      expect.stringContaining("512"),
      expect.stringMatching(/128|131/),
      expect.stringMatching(/128|131/),
      "DATA: the value must be a string",
      "DATA: the key must be a string",
      expect.any(String)
    ])
    const stored = await world.runPromise(
      Effect.flatMap(AppData, (data) => data.get({ project, channel: "production" }, "b/2"))
    )
    expect(stored).toBe("zwei")
    const other = await app("p@data#preview:v0000001", { ...source, channel: "preview:v0000001" })
    const empty = { keys: [], complete: true }
    expect(((await json(other)) as Array<unknown>).slice(0, 4)).toEqual([null, null, empty, empty])
  })

  it("has the same DATA at an early compatibility date, and Node's API only when it asks", async () => {
    const main = `export default { async fetch(request, env) {
      await env.DATA.put("early", "yes"); const fs = await import("node:fs").then(() => true, () => false)
      return Response.json([await env.DATA.get("early"), typeof process, fs]) } }`
    expect(await json(await app("p@early", { main, date: "2023-01-01" }))).toEqual(["yes", "undefined", false])
    expect(await json(await app("p@plain", { main }))).toEqual(["yes", "undefined", false])
    expect(await json(await app("p@node", { main, flags: ["nodejs_compat"] }))).toEqual(["yes", "object", true])
  })

  it("serves its own assets, with conditions, and no other app's", async () => {
    const version = await app("p@assets", {
      main: `export default { async fetch(request, env) {
        const whole = await env.ASSETS.fetch(new Request("http://any.host/hello.txt"))
        const same = await env.ASSETS.fetch("http://any.host/hello.txt", { headers: { "if-none-match": whole.headers.get("etag") } })
        const none = await env.ASSETS.fetch("http://any.host/none.txt")
        return Response.json([whole.status, await whole.text(), same.status, none.status, (await env.ASSETS.fetch(request)).status]) } }`,
      assets: { "hello.txt": "hello, asset" }
    })
    expect(await json(version, "/hello.txt")).toEqual([200, "hello, asset", 304, 404, 200])
  })

  it("answers 404 for an app of assets alone", async () => {
    const version = await app("p@static", { main: null, assets: { "index.html": "page" } })
    expect((await get(version)).status).toBe(404)
    expect((await get(version)).status).toBe(404)
  })

  it("names what is wrong with an app that cannot start", async () => {
    const bad = (name: string, source: AppSource) =>
      app(name, source).then((version) =>
        get(version).then(
          () => "served",
          (error: unknown) => inspect(error)
        )
      )
    expect(await bad("p@syntax", { main: "export default {" })).toContain("SyntaxError")
    expect(await bad("p@top", { main: `throw new Error("at the top")` })).toContain("at the top")
    expect(await bad("p@empty", { main: "export const x = 1" })).toContain("AppThrew")
  })
})

describe("the network is out of reach", () => {
  it("denies every way out that an app has", async () => {
    let reached = 0
    const server = createServer((_request, response) => {
      reached += 1
      response.end("reached")
    })
    server.on("connection", () => (reached += 1))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const version = await app("p@network", {
      main: `import { connect } from "cloudflare:sockets"; import net from "node:net"; import http from "node:http"; import dns from "node:dns/promises"
        const tries = {
          fetch: () => fetch("http://127.0.0.1:${port}/").then((r) => r.text()),
          name: () => fetch("http://localhost:${port}/").then((r) => r.text()),
          outside: () => fetch("https://example.com/").then((r) => r.text()),
          self: (request) => fetch(request).then((r) => r.text()),
          unix: () => fetch("http://unix:/run/control.sock:/", { method: "POST" }).then((r) => r.text()),
          socket: async () => { const s = connect({ hostname: "127.0.0.1", port: ${port} }); await s.opened; const w = s.writable.getWriter(); await w.write(new Uint8Array([71])); return "open" },
          unixSocket: async () => { const s = connect("unix:/run/supervisor.sock"); await s.opened; return "open" },
          webSocket: () => new Promise((resolve, reject) => { const s = new WebSocket("ws://127.0.0.1:${port}/"); s.onopen = () => resolve("open"); s.onerror = (e) => reject(new Error(e.message)); s.onclose = () => reject(new Error("closed")) }),
          upgrade: () => fetch("http://127.0.0.1:${port}/", { headers: { upgrade: "websocket" } }).then((r) => r.status + "reached"),
          events: () => new Promise((resolve, reject) => { const s = new EventSource("http://127.0.0.1:${port}/"); s.onopen = () => resolve("open"); s.onerror = () => { s.close(); reject(new Error("denied")) } }),
          net: () => new Promise((resolve, reject) => { const s = net.connect(${port}, "127.0.0.1", () => resolve("open")); s.on("error", reject) }),
          http: () => new Promise((resolve, reject) => { http.get("http://127.0.0.1:${port}/", () => resolve("open")).on("error", reject) }),
          dns: () => dns.resolve4("example.com"),
          data: async (request, env) => env.DATA.fetch("http://127.0.0.1:${port}/").then((r) => r.text()),
          dataSocket: async (request, env) => { const s = env.DATA.connect("127.0.0.1:${port}"); await s.opened; return "open" },
          assetsSocket: async (request, env) => { const s = env.ASSETS.connect("127.0.0.1:${port}"); await s.opened; return "open" },
          code: () => import("http://127.0.0.1:${port}/x.js"),
          eval: () => new Function("return 1")(),
          cache: async () => { await caches.default.put("http://127.0.0.1:${port}/", new Response("x", { headers: { "cache-control": "max-age=60" } })); return "put" }
        }
        export default { async fetch(request, env) {
          const name = new URL(request.url).pathname.slice(1)
          if (name === "") return Response.json(Object.keys(tries))
          const timeout = new Promise((resolve) => setTimeout(() => resolve("denied: nothing came"), 1000))
          const outcome = await Promise.race([timeout, (async () => "reached " + JSON.stringify(await tries[name](request, env)))().catch((e) => "denied: " + e)])
          return new Response(outcome) } }`,
      flags: ["nodejs_compat"]
    })
    const outcomes: Record<string, string> = {}
    for (const name of (await json(version)) as Array<string>)
      outcomes[name] = (await get(version, `/${name}`).then((one) => one.text, String)).slice(0, 60)
    await new Promise((resolve) => server.close(resolve))
    for (const [name, outcome] of Object.entries(outcomes))
      expect([name, outcome]).toEqual([name, expect.stringMatching(/denied|AppThrew/)])
    expect(Object.keys(outcomes).length).toBeGreaterThan(15)
    expect(reached).toBe(0)
  })
})
