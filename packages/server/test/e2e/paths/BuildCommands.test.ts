import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

/** A site that is made by plain Node: no packages, and no output in the source. */
const site = (page: string, extra: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  "pawl.json": JSON.stringify({
    checks: [{ id: "test", command: "npm test" }],
    probes: [{ path: "/" }, { path: "/api", json: true }],
    build: { command: "npm run site", output: "dist" }
  }),
  "package.json": JSON.stringify({
    type: "module",
    scripts: { presite: "node clean.js", site: "node build.js", test: "node build.js && grep -q main dist/index.html" }
  }),
  "wrangler.toml": `main = "src/index.js"\ncompatibility_date = "2026-01-01"\n[assets]\ndirectory = "./dist"\nbinding = "ASSETS"\nrun_worker_first = ["/api"]\n`,
  "src/index.js": `export default { fetch: () => Response.json({ said: "api" }) }\n`,
  "clean.js": `import { rmSync } from "node:fs"\nrmSync("dist", { recursive: true, force: true })\n`,
  "build.js": [
    `import { mkdirSync, readFileSync, writeFileSync } from "node:fs"`,
    `mkdirSync("dist", { recursive: true })`,
    `writeFileSync("dist/index.html", "<main>" + readFileSync("page.txt", "utf8") + "</main>")`,
    `writeFileSync("dist/when.txt", process.env.SOURCE_DATE_EPOCH + " " + process.env.TZ)`,
    `writeFileSync("not-output.txt", "x")`,
    ""
  ].join("\n"),
  "page.txt": page,
  ...extra
})

describe("A project that makes what it serves, on a running server", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const candidateOf = async (projectId: string, name: string, files: Readonly<Record<string, string>>) => {
    const change = await Flow.openChange(server.api, projectId, name)
    await Flow.edit(server.api, change, files)
    return Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
  }
  const buildOf = async (candidateId: string) =>
    (await Flow.evidence(server.api, candidateId)).find(({ checkId }) => checkId === "build")
  const rebuilt = (projectId: string) =>
    pawl(["audit", projectId, "--rebuild", "--url", server.origin], { PAWL_TOKEN: token })

  it("is built, verified, promoted and served by its command, and gives the same bytes when it is built again", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "made", site("one"))
    const before = await Flow.liveApp(api, project.id, 0)
    expect((await api.page(before.url)).text).toBe("<main>one</main>")
    const candidate = await candidateOf(project.id, "two", { "page.txt": "two" })
    expect(candidate).toMatchObject({ status: "verified" })
    const { preview } = await api.get<{ preview: { url: string } }>(`/v1/candidates/${candidate.id}/preview`)
    expect((await api.page(preview.url)).text).toBe("<main>two</main>")
    await Flow.promote(api, candidate.id)
    expect(await Flow.released(api, project.id, 1)).toMatchObject({ status: "deployed", bundleSource: "preview_copy" })
    const live = await Flow.liveApp(api, project.id, 1)
    expect((await api.page(live.url)).text).toBe("<main>two</main>")
    expect((await api.page(`${live.url}when.txt`)).text).toMatch(/^\d{10} UTC$/)
    expect((await api.page(`${live.url}api`)).text).toBe(`{"said":"api"}`)
    expect((await api.page(`${live.url}not-output.txt`)).text).not.toBe("x")
    const again = await rebuilt(project.id)
    expect(again.output).toMatch(/S1 {2}built again: same {2}the build gave [0-9a-f]{64} again/)
    expect(again.code).toBe(0)
  })

  it("is built by the wrangler file's own build where pawl.json names none, in its folder", async () => {
    const { "build.js": script = "", "pawl.json": _, "wrangler.toml": settings = "", ...rest } = site("by wrangler")
    const files = {
      ...rest,
      "tools/build.js": `process.chdir("..")\n${script}`,
      "wrangler.toml": `${settings}[build]\ncommand = "node build.js"\ncwd = "tools"\n`
    }
    const project = await Flow.createProject(server.api, "own-build", files)
    const app = await Flow.liveApp(server.api, project.id, 0)
    expect((await server.api.page(app.url)).text).toBe("<main>by wrangler</main>")
  })

  it("needs no pawl.json where package.json has a build script for what wrangler's settings name", async () => {
    const { "pawl.json": _, ...rest } = site("plain")
    const files = {
      ...rest,
      "package.json": JSON.stringify({ type: "module", scripts: { prebuild: "node clean.js", build: "node build.js" } })
    }
    const project = await Flow.createProject(server.api, "scripted", files)
    const live = await Flow.liveApp(server.api, project.id, 0)
    expect((await server.api.page(live.url)).text).toBe("<main>plain</main>")
  })

  it("is told by file when a second build gives other bytes", async () => {
    const random = `import { appendFileSync } from "node:fs"\nappendFileSync("dist/index.html", String(Math.random()))\n`
    const files = site("random", { "random.js": random })
    const manifest = JSON.stringify({
      type: "module",
      scripts: { site: "node build.js && node random.js", test: "true" }
    })
    const project = await Flow.createProject(server.api, "random", { ...files, "package.json": manifest })
    await Flow.liveApp(server.api, project.id, 0)
    const again = await rebuilt(project.id)
    expect(again.output).toContain("S0  built again: different")
    expect(again.output).toContain("the asset index.html differs")
    expect(again.code).toBe(1)
  })

  it("is refused in words when its command fails, leaves nothing, leaves too much, or reaches for the network", async () => {
    const project = await Flow.createProject(server.api, "refused", site("one"))
    const live = await Flow.liveApp(server.api, project.id, 0)
    const cases: ReadonlyArray<readonly [name: string, build: string, says: RegExp]> = [
      ["fails", `console.error("page.txt has no title"); process.exit(4)\n`, /exit 4[\s\S]*page\.txt has no title/],
      ["nothing", `console.log("nothing to do")\n`, /left no file at .*dist/],
      [
        "many",
        `import { mkdirSync, writeFileSync } from "node:fs"\nmkdirSync("dist")\nfor (let n = 0; n < 5000; n++) writeFileSync("dist/" + n + ".txt", "")\n`,
        /more than 4000 files/
      ],
      ["network", `await fetch("https://registry.npmjs.org/left-pad")\n`, /fetch failed|ENOTFOUND|EAI_AGAIN/]
    ]
    for (const [name, build, says] of slice(cases, { quick: 2 })) {
      const candidate = await candidateOf(project.id, name, { "build.js": build })
      expect(candidate.status).toBe("rejected")
      const evidence = await buildOf(candidate.id)
      expect([name, evidence?.result]).toEqual([name, "fail"])
      expect(evidence?.summary).toMatch(says)
    }
    expect((await server.api.page(live.url)).text).toBe("<main>one</main>")
  })
})
