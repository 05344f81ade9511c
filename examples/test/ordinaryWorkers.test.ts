import { readdirSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createProject, liveApp } from "../../packages/server/test/e2e/kit/Flow.ts"
import { startServer, type ServerProcess, temporaryFolder } from "../../packages/server/test/e2e/kit/ServerProcess.ts"

/** The files of an example as they lie there, byte for byte. */
const filesOf = (name: string): Readonly<Record<string, string>> => {
  const folder = fileURLToPath(new URL(`../04-ordinary-workers/${name}/`, import.meta.url))
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")]
    })
  )
}

const folder = temporaryFolder()
let server: ServerProcess
beforeAll(async () => {
  server = await startServer({ data: folder.path })
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

interface Answer {
  readonly status: number
  readonly type: string
  readonly header: (name: string) => string | undefined
  readonly text: string
}

/** Node does not resolve `x.localhost`: it connects to the listener and names the host. */
const ask = (slug: string, path: string, options: { method?: string; body?: string; accept?: string } = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const headers = { host: `${slug}.apps.localhost:${server.port}`, accept: options.accept ?? "*/*" }
    const sent = request(
      { host: "127.0.0.1", port: server.port, path, method: options.method ?? "GET", headers },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        response.once("error", reject).once("end", () => {
          const header = (name: string) => response.headers[name]?.toString()
          resolve({ status: response.statusCode ?? 0, type: header("content-type") ?? "", header, text })
        })
      }
    )
    sent.once("error", reject).end(options.body)
  })

const live = async (slug: string, example: string) => {
  const project = await createProject(server.api, slug, filesOf(example))
  await liveApp(server.api, project.id, 0)
}

describe("A project that nobody wrote for Pawl goes live unchanged", () => {
  it("an API with hono", async () => {
    await live("reading-list", "hono-api")
    expect(await ask("reading-list", "/")).toMatchObject({ status: 200, text: "Reading list" })
    const books = await ask("reading-list", "/api/books")
    expect(JSON.parse(books.text)).toHaveLength(2)
    expect(books.type).toBe("application/json")
    expect(books.header("access-control-allow-origin")).toBe("*")
    expect(books.header("x-content-type-options")).toBe("nosniff")
    expect(await ask("reading-list", "/api/books/3")).toMatchObject({ status: 404, text: "No such book" })
    expect(await ask("reading-list", "/api/books/x")).toMatchObject({ status: 404, text: "404 Not Found" })
    expect(await ask("reading-list", "/api/echo", { method: "POST", body: "hello" })).toMatchObject({
      status: 201,
      text: `{"said":"hello"}`
    })
  })

  it("an API with itty-router", async () => {
    await live("units", "itty-router-api")
    expect(JSON.parse((await ask("units", "/units")).text)).toEqual(["km", "m", "cm", "mi"])
    const converted = await ask("units", "/convert/mi/km?value=5")
    expect(JSON.parse(converted.text)).toEqual({ value: 8.04672, unit: "km" })
    expect(converted.type).toBe("application/json; charset=utf-8")
    expect((await ask("units", "/convert/mi/stone")).status).toBe(400)
    expect((await ask("units", "/none")).status).toBe(404)
  })

  it("a site of plain files", async () => {
    await live("field-notes", "static-site")
    expect(await ask("field-notes", "/")).toMatchObject({ status: 200, type: "text/html; charset=utf-8" })
    expect(await ask("field-notes", "/notes/heron")).toMatchObject({
      status: 200,
      text: expect.stringContaining("stood in the reeds")
    })
    expect((await ask("field-notes", "/notes/heron.html")).header("location")).toBe("/notes/heron")
    expect((await ask("field-notes", "/styles/site.css")).type).toBe("text/css; charset=utf-8")
    expect(await ask("field-notes", "/notes/stork")).toMatchObject({
      status: 404,
      text: expect.stringContaining("No such note")
    })
  })

  it("a single-page application that vite built, with its hashed files and its own routes", async () => {
    await live("counter", "single-page-app")
    const page = await ask("counter", "/")
    const script = /src="(\/assets\/index-[\w-]+\.js)"/.exec(page.text)?.[1] ?? "none"
    const code = await ask("counter", script)
    expect(code).toMatchObject({ status: 200, type: expect.stringMatching(/^text\/javascript/) })
    const [chunk] = /assets\/counter-[\w-]+\.js/.exec(code.text) ?? /counter-[\w-]+\.js/.exec(code.text) ?? []
    expect((await ask("counter", `/assets/${(chunk ?? "none").replace("assets/", "")}`)).text).toContain("count is")
    expect((await ask("counter", "/favicon.svg")).type).toMatch(/^image\/svg\+xml/)
    const own = await ask("counter", "/about", { accept: "text/html" })
    expect(own).toMatchObject({ status: 200, text: page.text })
  })
})
