import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync, gzipSync, brotliCompressSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ConsoleListener from "../../../src/node/console/ConsoleListener.ts"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const page = "<!doctype html><title>Pawl</title>"
const script = "export const answer = 42\n"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

const listening = async (folder: string | null): Promise<Server> => {
  const hosts = { protocol: "http:", appsDomain: "apps.localhost", portSuffix: ":8787" }
  const console = ConsoleListener.make(folder, hosts)
  const server = createServer((req, res) => {
    if (!console(req, res)) res.writeHead(299).end("the API")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

const asking =
  (server: () => Server) =>
  (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = server().address() as AddressInfo
      const req = request({ host: "127.0.0.1", port, path, headers, method }, (res) => {
        const pieces: Array<Buffer> = []
        res.on("data", (piece: Buffer) => pieces.push(piece))
        res.on("end", () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(pieces) }))
      })
      req.once("error", reject)
      req.end()
    })

describe("The console at the address of the API", () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-console-"))
  let server: Server
  let empty: Server
  const ask = asking(() => server)

  beforeAll(async () => {
    mkdirSync(join(folder, "console"))
    const files = { "index.html": page, "console/index-abc.js": script }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text)
      writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    }
    writeFileSync(join(folder, "secret.txt"), "not for browsers")
    ;[server, empty] = await Promise.all([listening(folder), listening(join(folder, "nothing"))])
  })
  afterAll(async () => {
    for (const each of [server, empty]) await new Promise((resolve) => each.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(["/", "/projects", "/p/shop/changes?status=open", "/changes/chg_1/diff", "/v10", "/healthy"])(
    "is the page of every screen: %s",
    async (path) => {
      const { body, headers, status } = await ask(path, html)
      expect([status, body.toString(), headers["cache-control"]]).toEqual([200, page, "no-cache"])
      expect(headers["vary"]).toBe("accept, accept-encoding")
    }
  )

  it.each([
    "/v1",
    "/v1/projects",
    "/v1?x",
    "/auth/methods",
    "/git/shop.git/info/refs",
    "/health",
    "/health/ready",
    "/docs",
    "/openapi.json",
    "/mcp",
    "/metrics",
    "/__service/x",
    "/.well-known/security.txt"
  ])("leaves %s to the API, for browsers too", async (path) => {
    expect((await ask(path, html)).status).toBe(299)
  })

  it("is for who asks for HTML: programs, and other methods, are answered by the API", async () => {
    expect((await ask("/")).status).toBe(299)
    expect((await ask("/", { accept: "*/*" })).status).toBe(299)
    expect((await ask("/", { accept: "application/json, text/html;q=0" })).status).toBe(299)
    expect((await ask("/", html, "POST")).status).toBe(299)
    expect((await ask("/console/index-abc.js", {}, "DELETE")).status).toBe(299)
  })

  it("lets the page load its own files and frame apps, and nobody frame or read it", async () => {
    const { headers } = await ask("/", html)
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src http://*.apps.localhost:8787; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    )
    const { headers: ofFile } = await ask("/console/index-abc.js")
    const { headers: ofMissing } = await ask("/console/none.js")
    for (const each of [headers, ofFile, ofMissing])
      expect(each).toMatchObject({
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      })
  })

  it("sends its files packed as the browser takes them, for ever", async () => {
    const plain = await ask("/console/index-abc.js")
    expect(plain.body.toString()).toBe(script)
    expect(plain.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
      "content-length": String(script.length)
    })
    const gzip = await ask("/console/index-abc.js", { "accept-encoding": "gzip, deflate, br;q=0" })
    expect([gzip.headers["content-encoding"], gunzipSync(gzip.body).toString()]).toEqual(["gzip", script])
    const brotli = await ask("/console/index-abc.js", { "accept-encoding": "gzip, deflate, br, zstd" })
    expect([brotli.headers["content-encoding"], brotliDecompressSync(brotli.body).toString()]).toEqual(["br", script])
  })

  it("answers 304 for what the browser has, and to HEAD all but the body", async () => {
    const { headers } = await ask("/", html)
    const again = await ask("/projects", { ...html, "if-none-match": String(headers["etag"]) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect((await ask("/", { ...html, "if-none-match": 'W/"other"' })).status).toBe(200)
    const head = await ask("/", html, "HEAD")
    expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([200, 0, String(page.length)])
  })

  it.each([
    "/console/none.js",
    "/console/../secret.txt",
    "/console/%2e%2e/secret.txt",
    "/console/",
    "/console/index-abc.js.gz"
  ])("has no file at %s", async (path) => {
    const { body, headers, status } = await ask(path, html)
    expect([status, headers["content-type"]]).toEqual([404, "application/problem+json"])
    expect(body.toString()).not.toContain("not for browsers")
  })

  it("shows what was built since: no restart is needed", async () => {
    const later = new Date(Date.now() + 10_000)
    writeFileSync(join(folder, "console/index-new.js"), "export {}")
    writeFileSync(join(folder, "index.html.new"), page)
    const { renameSync, utimesSync } = await import("node:fs")
    utimesSync(join(folder, "index.html.new"), later, later)
    renameSync(join(folder, "index.html.new"), join(folder, "index.html"))
    await ask("/", html)
    expect((await ask("/console/index-new.js")).status).toBe(200)
  })

  it("says in words what to run where it is not built", async () => {
    const { body, headers, status } = await asking(() => empty)("/projects", html)
    expect([status, headers["cache-control"]]).toEqual([503, "no-store"])
    expect(body.toString()).toContain("npm run build")
    expect((await asking(() => empty)("/v1/projects", html)).status).toBe(299)
  })
})
