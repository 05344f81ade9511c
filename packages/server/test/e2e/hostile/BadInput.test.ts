import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: {
    readonly code?: string
    readonly detail?: string
    readonly status?: number
    readonly requestId?: string
  }
}

describe("Bad input", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let projectId: string

  const send = async (
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string> = {}
  ): Promise<Answer> => {
    const response = await fetch(`${server.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body })
    })
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      body: (await response.json()) as Answer["body"]
    }
  }
  const post = (path: string, body: unknown) => send("POST", path, JSON.stringify(body))

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
    projectId = (await Flow.createProject(server.api, "sturdy")).id
    await Flow.liveApp(server.api, projectId, 0)
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it.each([
    ["../escape", "x"],
    ["/etc/passwd", "x"],
    [".git/config", "x"],
    ["a/.GIT/hooks/x", "x"],
    ["a\\b", "x"],
    ["a\u0000b", "x"],
    ["a//b", "x"],
    ["", "x"],
    ["a/../b", "x"],
    ["git~1/x", "x"]
  ])("refuses the path %j and reserves nothing", async (path, text) => {
    const slug = `path-${createHash("sha256").update(path).digest("hex").slice(0, 8)}`
    const refused = await post("/v1/projects", { slug, files: { [path]: text } })
    expect(refused).toMatchObject({
      status: 400,
      type: expect.stringContaining("application/problem+json"),
      body: { code: "invalid_path" }
    })
    expect((await post("/v1/projects", { slug, files: { "ok.txt": "x" } })).status).toBe(201)
  })

  it("refuses paths that collide in case, and files that are also directories", async () => {
    for (const files of [
      { "A.txt": "1", "a.txt": "2" },
      { a: "1", "a/b": "2" }
    ])
      expect(await post("/v1/projects", { slug: "collide", files })).toMatchObject({
        status: 400,
        body: { code: "invalid_path" }
      })
  })

  it.each([
    ["an unknown template", { slug: "t1", template: "rocket" }, 400, undefined],
    ["a slug with capitals", { slug: "No", template: "blank" }, 400, "invalid_slug"],
    ["a slug with two hyphens", { slug: "a--b", template: "blank" }, 400, "invalid_slug"],
    ["a slug that is too long", { slug: "a".repeat(51), template: "blank" }, 400, "invalid_slug"],
    ["a slug with the service's name", { slug: "pawl-x", template: "blank" }, 400, "invalid_slug"],
    ["a taken slug", { slug: "sturdy", template: "blank" }, 409, "slug_taken"],
    ["a broken pawl.json", { slug: "broken", files: { "pawl.json": "{" } }, 400, undefined]
  ])("refuses a Project with %s", async (_name, body, status, code) => {
    const refused = await post("/v1/projects", body)
    expect(refused).toMatchObject({
      status,
      body: { status, requestId: expect.any(String), detail: expect.any(String) }
    })
    if (code !== undefined) expect(refused.body.code).toBe(code)
  })

  it("gives a reserved label the suffix of the Project's id", async () => {
    const answer = await server.api.post<{ project: { id: string; label: string } }>("/v1/projects", {
      slug: "admin",
      template: "blank"
    })
    expect(answer.project.label).toBe(`admin-${answer.project.id.slice(5, 11)}`)
  })

  it("lets exactly one of two concurrent creates have a slug", async () => {
    const both = await Promise.all([1, 2].map(() => post("/v1/projects", { slug: "twins", template: "blank" })))
    expect(both.map((each) => each.status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  it("refuses malformed JSON, bodies over the limit, and unknown ids, each as a problem", async () => {
    expect(await send("POST", "/v1/projects", "{")).toMatchObject({ status: 400, body: { code: "invalid_json" } })
    const large = JSON.stringify({ clientRequestId: "x", goal: "g".repeat(1_100_000), budget_usd: 1 })
    expect(await send("POST", `/v1/projects/${projectId}/changes`, large)).toMatchObject({ status: 413 })
    const huge = JSON.stringify({ slug: "huge", files: { "a.txt": "a".repeat(11_000_000) } })
    expect(await send("POST", "/v1/projects", huge)).toMatchObject({ status: 413 })
    for (const path of [
      "projects/proj_00000000-0000-4000-8000-000000000009",
      "changes/chg_00000000-0000-4000-8000-000000000009",
      "candidates/cand_000000000000000000000000",
      "projects/nonsense",
      "nonsense"
    ])
      expect(await send("GET", `/v1/${path}`, undefined)).toMatchObject({
        status: expect.toSatisfy((status: number) => status === 404 || status === 400),
        type: expect.stringContaining("problem+json")
      })
  })

  it.each([0, -1, 1000, 0.001, "1", null])("refuses the budget %j", async (budget_usd) => {
    const refused = await post(`/v1/projects/${projectId}/changes`, {
      clientRequestId: "b",
      goal: "g",
      budget_usd,
      startPlanning: false
    })
    expect(refused).toMatchObject({ status: 400, type: expect.stringContaining("problem+json") })
    expect(refused.body.detail).toContain("budget_usd")
  })

  const checkWith = async (slug: string, command: string, timeoutMs = 20_000) => {
    const files = Flow.source("one", { "pawl.json": JSON.stringify({ checks: [{ id: "test", command, timeoutMs }] }) })
    const project = await Flow.createProject(server.api, slug, files)
    const change = await Flow.openChange(server.api, project.id, slug)
    await Flow.edit(server.api, change, { "a.txt": "a" })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    const row = (await Flow.evidence(server.api, candidate.id)).find((each) => each.checkId === "test")!
    return { candidate, row }
  }

  it("takes a check that hangs as a gap, after two more tries", async () => {
    const { candidate, row } = await checkWith("hangs", "sleep 1000", 300)
    expect(candidate).toMatchObject({ status: "rejected", reason: "test: gap" })
    expect(row).toMatchObject({ status: "not_checked", result: "gap", attempt: 3 })
  })

  it("cuts the output of a check that floods, and judges it by its exit", async () => {
    const { candidate, row } = await checkWith("floods", "yes flood | head -c 50000000")
    expect(candidate.status).toBe("verified")
    const output = await server.api.text(`/v1/evidence/${row.id}/output`)
    expect(output.length).toBeLessThan(1_200_000)
  })

  it("ends a check with its command, whatever daemons it leaves behind", async () => {
    const { candidate } = await checkWith(
      "daemons",
      "(setsid sleep 1000 >/dev/null 2>&1 &) ; (setsid sh -c 'sleep 1000' &) ; exit 0"
    )
    expect(candidate.status).toBe("verified")
  })

  it("takes a command that is not there as a gap that says so, never as a failure of the work", async () => {
    const { row } = await checkWith("not-there", "no-such-command --now")
    expect(row).toMatchObject({
      status: "not_checked",
      result: "gap",
      attempt: 3,
      summary: expect.stringContaining("no-such-command")
    })
  })

  it("survives a source that crashes the bundler, and builds the next one", async () => {
    const project = await Flow.createProject(server.api, "bundler")
    await Flow.liveApp(server.api, project.id, 0)
    const change = await Flow.openChange(server.api, project.id, "bomb")
    await Flow.edit(server.api, change, { "src/index.js": `export default ${"[".repeat(400_000)}` })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    expect(candidate.status).toBe("rejected")
    const fixed = await Flow.openChange(server.api, project.id, "fixed")
    await Flow.edit(server.api, fixed, { "a.txt": "a" })
    expect((await Flow.gated(server.api, (await Flow.requestCandidate(server.api, fixed)).id)).status).toBe("verified")
  })

  it("never serves a damaged bundle: a 503 page instead of wrong bytes", async () => {
    const project = await Flow.createProject(
      server.api,
      "damaged",
      Flow.source("one", { "public/large.txt": "right ".repeat(1000) })
    )
    const live = await Flow.liveApp(server.api, project.id, 0)
    const stored = join(folder.path, "objects")
    const files = readdirSync(stored, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.includes(project.id) && name.includes("large.txt")
    )
    expect(files.length).toBeGreaterThan(0)
    for (const name of files)
      writeFileSync(join(stored, name), readFileSync(join(stored, name), "utf8").replaceAll("right", "wrong"))
    expect((await server.api.page(`${live.url}large.txt`)).status).toBe(503)
    expect((await server.api.page(live.url)).text).toBe("one")
  })

  it("answers 404 for a host that names no app, and 421 for a host that is not ours", async () => {
    expect((await server.api.page(`http://nobody.apps.localhost:${server.port}/`)).status).toBe(404)
    expect((await server.api.page(`http://example.com:${server.port}/v1/me`)).status).toBe(421)
  })

  it("leaves the server standing, and able to stop with 0", async () => {
    expect((await fetch(`${server.origin}/health`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })
})
