import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const html = { accept: "text/html" }

describe("A server with the role api", () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => folder.remove())

  it("answers browsers with the console, built or in words, and programs as ever", async () => {
    const server = await startServer({ data: folder.path })
    const page = await fetch(`${server.origin}/projects`, { headers: html })
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(page.headers.get("content-security-policy")).toContain(`frame-src http://*.apps.localhost:${server.port};`)
    expect(await page.text()).toMatch(/<div id="root">|npm run build/)
    expect((await fetch(`${server.origin}/projects`)).status).toBe(404)
    expect((await fetch(`${server.origin}/v1/projects`, { headers: html })).status).toBe(401)
    expect((await fetch(`${server.origin}/docs`, { headers: html })).status).toBe(200)
    await server.stop()
  })

  it("has no console with PAWL_CONSOLE=false", async () => {
    const server = await startServer({ data: folder.path, environment: { PAWL_CONSOLE: "false" } })
    const page = await fetch(`${server.origin}/`, { headers: html })
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "application/problem+json"])
    await server.stop()
  })
})
