/** What is deployed to Cloudflare: each script as wrangler takes it, without a network. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LaidOut, layOut, wrangler } from "../../../../deploy/cloudflare/Deployment.ts"
import { modelChoiceOf } from "../../../../deploy/cloudflare/ModelChoice.ts"
import type { Installation } from "../../../../deploy/cloudflare/Scripts.ts"
import { configurations, queuesOf } from "../../../../deploy/cloudflare/Wrangler.ts"
import { modelKey } from "../e2e/kit/ChangeFlow.ts"
import { environmentOf } from "../e2e/kit/ScriptedTeam.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-deployment-"))

const installation: Installation = {
  environment: "production",
  appsDomain: "pawl-apps.example",
  apiOrigin: "https://pawl.example.com",
  oidc: null,
  models: null,
  paused: false,
  version: "0.0.0-test",
  requestsPerMinute: 600,
  buildsPerDay: 60,
  checks: { image: "registry.cloudflare.com/account/pawl-checks:1", program: ["node", "checks.js"] },
  repositories: "artifacts",
  registry: "https://registry.npmjs.org/"
}

interface Queues {
  readonly producers: ReadonlyArray<{ readonly queue: string }>
  readonly consumers: ReadonlyArray<{ readonly queue: string; readonly dead_letter_queue?: string }>
}

describe("A deployment to Cloudflare", () => {
  let scripts: ReadonlyArray<LaidOut>
  beforeAll(async () => {
    scripts = await layOut(installation, folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is seven scripts that wrangler would deploy as they are", async () => {
    expect(scripts.map(({ name }) => name)).toEqual([
      "appdata",
      "builder",
      "checks",
      "canonical",
      "integration",
      "api",
      "router"
    ])
    const canonical = scripts.filter(({ name }) => name === "canonical")
    for (const script of new Set([...canonical, ...slice(scripts, { quick: 1 })]))
      expect(await wrangler(script, ["deploy", "--dry-run"])).toMatchObject({ code: 0 })
  })

  it("binds Artifacts to what holds the objects, where that is chosen, and to nothing else", () => {
    const bound = (repositories: Installation["repositories"]) =>
      configurations({ ...installation, repositories }).flatMap(({ configuration, script }) =>
        (configuration["artifacts"] as ReadonlyArray<unknown>).map((each) => [script.name, each])
      )
    expect(bound("packs")).toEqual([])
    expect(bound("artifacts")).toEqual([["canonical", { binding: "ARTIFACTS", namespace: "pawl" }]])
  })

  it("tells the models to what holds the objects, and to nothing else, and their key to no configuration", () => {
    const models = modelChoiceOf(environmentOf({ url: "https://models.example/v1" }))
    if (models === null || typeof models === "string") throw new Error("no models")
    const all = configurations({ ...installation, models })
    const told = all.filter(({ configuration }) => "MODELS" in (configuration["vars"] as object))
    expect(told.map(({ configuration, script }) => [script.name, configuration["vars"] as object])).toEqual([
      ["canonical", expect.objectContaining({ MODELS: models })]
    ])
    expect(all.filter(({ script }) => "MODEL_KEY" in script.bindings).map(({ script }) => script.name)).toEqual([
      "canonical"
    ])
    expect(JSON.stringify(all.map(({ configuration }) => configuration))).not.toContain(modelKey)
  })

  it("takes from each queue where the objects are, also what nobody could take, and each is made before", () => {
    const told = scripts.map(({ folder: own, name }) => {
      const { queues } = JSON.parse(readFileSync(join(own, "wrangler.json"), "utf8")) as { readonly queues: Queues }
      return { name, ...queues }
    })
    const named = told.flatMap(({ consumers, producers }) => [
      ...producers.map(({ queue }) => queue),
      ...consumers.flatMap(({ dead_letter_queue, queue }) => [queue, dead_letter_queue ?? queue])
    ])
    expect([...new Set(named)].toSorted()).toEqual(queuesOf(installation).toSorted())
    expect(told.filter(({ consumers }) => consumers.length > 0)).toEqual([
      expect.objectContaining({
        name: "canonical",
        consumers: [
          expect.objectContaining({ queue: "pawl-hints", dead_letter_queue: "pawl-dead-hints" }),
          expect.not.objectContaining({ dead_letter_queue: expect.anything() })
        ]
      })
    ])
  })

  it("keeps to its sizes", async () => {
    const sizes: Record<string, number> = {}
    for (const { folder: own, name, size } of scripts) {
      sizes[name] = size
      sizes[`${name} packed`] = gzipSync(await readFile(join(own, "index.js"))).length
    }
    expect(sizes["api"]).toBeLessThanOrEqual(600_000)
    expect(sizes["router"]).toBeLessThanOrEqual(220_000)
    expect(sizes["appdata"]).toBeLessThanOrEqual(180_000)
    expect(sizes["builder"]).toBeLessThanOrEqual(255_000)
    // The API's handlers, git (27 KB), the reading of locks (45 KB), planner and agent, and the client of OpenID Connect run
    // in the objects, and what assistants are told by is in api.
    expect(sizes["canonical"]).toBeLessThanOrEqual(1_550_000)
    expect(sizes["canonical packed"]).toBeLessThanOrEqual(540_000)
  })
})
