/** Old promises asked again, and risk by what a file does, on a running server: real git, builds and sandboxes. */
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Why } from "@pawl/core/why/Why"
import type { Event } from "@pawl/core/model/Event"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import type { ChangeJson } from "@pawl/server/api/RecordSchemas"

const folder = temporaryFolder()
let server: ServerProcess
beforeAll(async () => {
  server = await startServer({ data: folder.path })
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

const policy = (projectId: string, fields: unknown) => server.api.put(`/v1/projects/${projectId}/policy`, fields)

type Edits = Readonly<Record<string, unknown>>
let changes = 0

/** A Candidate of one edit, after its checks, with what each of them showed. */
const checked = async (projectId: string, edits: Edits) => {
  const { api } = server
  const change: ChangeJson = await Flow.openChange(api, projectId, `change-${++changes}`)
  await Flow.edit(api, change, edits)
  const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  const rows = await Flow.evidence(api, candidate.id)
  const results = Object.fromEntries(rows.map((row) => [row.checkId, row.result]))
  const why = await api.get<Why>(`/v1/candidates/${candidate.id}/why`)
  return { change, candidate, results, rows, why, risk: candidate.plan_json?.riskTier }
}

const price = (cents: number) => `export const price = () => ${cents}\n`
const test = (cents: number) =>
  `import { price } from "../src/price.js"\nconsole.log("the price is " + price())\nif (price() !== ${cents}) process.exit(1)\n`
const shop = Flow.source("one", {
  "pawl.json": JSON.stringify({
    checks: [{ id: "test", command: "for each in test/*.mjs; do test -d $each || node $each || exit 1; done" }]
  }),
  "package.json": JSON.stringify({ type: "module" }),
  "src/price.js": price(100),
  "test/price.mjs": test(100),
  "test/other.mjs": "console.log('other')\n"
})
const wrong = { "src/price.js": price(1) }

describe("A test that a Change weakens", () => {
  let projectId: string
  beforeAll(async () => {
    projectId = (await Flow.createProject(server.api, "promises", shop)).id
  })

  const unkept: ReadonlyArray<readonly [how: string, edits: Edits]> = [
    ["rewritten to the wrong price", { ...wrong, "test/price.mjs": test(1) }],
    ["emptied", { ...wrong, "test/price.mjs": "" }],
    ["deleted", { ...wrong, "test/price.mjs": null }],
    ["renamed and weakened", { ...wrong, "test/price.mjs": null, "test/cost.mjs": test(1) }],
    ["replaced by a folder", { ...wrong, "test/price.mjs": null, "test/price.mjs/a.txt": "none" }]
  ]
  for (const [how, edits] of slice(unkept, { quick: 2 }))
    it(`is asked again in its old form when it is ${how}: the risk is high, and everyone sees why`, async () => {
      const made = await checked(projectId, edits)
      expect(made.results).toEqual({ build: "pass", test: "pass", "test@base": "fail" })
      expect(made.candidate).toMatchObject({
        status: "verified",
        plan_json: { riskTier: "high", approvalRequired: true }
      })
      expect(made.why.approval).toMatchObject({ owed: true, missing: 1 })
      expect(made.why.approval.brokenPromises).toMatchObject([
        {
          checkId: "test@base",
          paths: ["test/price.mjs"],
          count: 1,
          summary: expect.stringContaining("the price is 1")
        }
      ])
      expect(made.why.blocks).toMatchObject([
        { code: "approval_missing", detail: expect.stringContaining("test@base") }
      ])
      const { items } = await server.api.get<{ items: ReadonlyArray<Event> }>(
        `/v1/projects/${projectId}/events?after=0&limit=100`
      )
      const asked = items.findLast(({ type }) => type === "approval.requested")
      expect(asked).toMatchObject({
        subject: made.candidate.id,
        data: { riskTier: "high", brokenPromises: [{ checkId: "test@base", paths: ["test/price.mjs"], count: 1 }] }
      })
      const approved = await server.api.post<{ approval: unknown }>(`/v1/changes/${made.change.id}/approve`, {
        candidateId: made.candidate.id,
        decision: "rejected"
      })
      expect(approved.approval).toMatchObject({ brokenPromises: ["test@base"] })
    })

  it("is asked again with the base's script when package.json runs another one instead", async () => {
    const { id } = await Flow.createProject(server.api, "scripts", {
      ...shop,
      "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node --run all" }] }),
      "package.json": JSON.stringify({
        type: "module",
        scripts: { all: "node --run price", price: "node test/price.mjs" }
      })
    })
    await policy(id, { approvalRiskTiers: ["high"], autoPromoteRiskTiers: ["low", "medium"] })
    for (const scripts of [{ all: "true" }, { all: "node --run price", price: "node test/other.mjs" }]) {
      const found = await checked(id, { ...wrong, "package.json": JSON.stringify({ type: "module", scripts }) })
      expect(found.results).toMatchObject({ test: "pass", "test@base": "fail" })
      expect([found.risk, found.candidate.status]).toEqual(["high", "verified"])
      expect(found.why.approval.owed).toBe(true)
    }
    const moved = { type: "module", scripts: { all: "node --run prices", prices: "node test/price.mjs" } }
    const kept = await checked(id, { "package.json": JSON.stringify(moved) })
    expect(kept.results).toMatchObject({ test: "pass", "test@base": "pass" })
  })

  it("leaves the risk where it was when the old form still holds", async () => {
    const made = await checked(projectId, { "src/a.js": "export {}\n", "test/price.mjs": `// A word.\n${test(100)}` })
    expect(made.results).toEqual({ build: "pass", test: "pass", "test@base": "pass" })
    expect(made.risk).toBe("medium")
    expect(made.candidate.plan_json?.approvalRequired).toBe(false)
    expect(made.why).toMatchObject({ canPromote: true, approval: { owed: false, brokenPromises: [] } })
    const row = made.rows.find(({ checkId }) => checkId === "test@base")
    expect(row).toMatchObject({ commit: made.candidate.commit, tree: made.candidate.tree })
  })

  it("costs nothing when it is new", async () => {
    const made = await checked(projectId, { "test/more.mjs": "console.log('more')\n" })
    expect(made.results).toEqual({ build: "pass", test: "pass" })
    expect(made.risk).toBe("medium")
  })

  it("never takes the place of the check itself", async () => {
    const made = await checked(projectId, { "test/price.mjs": "throw new Error('broken')\n" })
    expect(made.results).toEqual({ build: "pass", test: "fail", "test@base": "pass" })
    expect(made.candidate.status).toBe("rejected")
  })

  it("has no way to canonical where the Policy demands the old form, nor by itself where it lists every risk", async () => {
    const all = ["low", "medium", "high"]
    const strict = (await Flow.createProject(server.api, "promises-strict", shop)).id
    await policy(strict, { baseChecksMustPass: true })
    const refused = await checked(strict, { ...wrong, "test/price.mjs": test(1) })
    expect(refused.candidate).toMatchObject({ status: "rejected", reason: "test@base: fail" })
    await policy(strict, { approvalRiskTiers: ["high"], autoPromoteRiskTiers: all })
    const waits = await checked(strict, { "src/price.js": price(2), "test/price.mjs": test(2) })
    expect(waits.candidate.status).toBe("verified")
    expect((await server.api.get<{ change: ChangeJson }>(`/v1/changes/${waits.change.id}`)).change).toMatchObject({
      status: "awaiting_approval",
      riskTier: "high"
    })
  })
})

describe("What a file does", () => {
  it("decides its risk: a Worker under static/ and the script of a check under docs/ never go live as low", async () => {
    const { api } = server
    const files = Flow.source("one", {
      "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node docs/check.mjs" }] }),
      "wrangler.json": JSON.stringify({ main: "static/worker.js", compatibility_date: "2026-01-01" }),
      "static/worker.js": "export default { fetch: () => new Response('good') }\n",
      "docs/check.mjs": "process.exit(1)\n"
    })
    const project = await Flow.createProject(api, "static-worker", files)
    await policy(project.id, { autoPromoteRiskTiers: ["low"], approvalRiskTiers: ["medium", "high"] })
    const live = await Flow.liveApp(api, project.id, 0)
    const made = await checked(project.id, {
      "static/worker.js": "export default { fetch: () => new Response('EVIL') }\n",
      "docs/check.mjs": "process.exit(0)\n"
    })
    // It passes by the Candidate's own form of its script, and not by the base's.
    expect(made.results).toEqual({ build: "pass", test: "pass", "test@base": "fail" })
    expect(made.candidate).toMatchObject({ status: "verified", plan_json: { riskTier: "high" } })
    await expect(Flow.promote(api, made.candidate.id)).rejects.toThrow("approval_missing")
    expect((await api.page(live.url)).text).toBe("good")
  })

  it("is low for what is only served, and not for what the Worker's bundle holds or a browser runs", async () => {
    const { api } = server
    const files = Flow.source("one", {
      "src/index.js":
        "import banner from '../public/banner.txt'\nexport default { fetch: () => new Response(banner) }\n",
      "public/banner.txt": "hello\n",
      "public/index.html": "<!doctype html><title>Shop</title>\n"
    })
    const project = await Flow.createProject(api, "served-files", files)
    const risk = async (edits: Edits) => (await checked(project.id, edits)).risk
    expect(
      await risk({ "public/hello.txt": "another\n", "public/index.html": "<!doctype html><title>New</title>\n" })
    ).toBe("low")
    expect(await risk({ "public/banner.txt": "another\n" })).toBe("medium")
    expect(await risk({ "public/index.html": "<!doctype html><script>alert(1)</script>\n" })).toBe("medium")
    expect(await risk({ "public/pic.svg": "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>\n" })).toBe(
      "medium"
    )
    expect(await risk({ "public/_headers": "/*\n  x-a: b\n" })).toBe("medium")
    expect(await risk({ "public/app.js": "alert(1)\n" })).toBe("medium")
  })
})
