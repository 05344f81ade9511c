/** What is deployed to Cloudflare: each script as wrangler takes it, without a network. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { checksName } from "@pawl/server/workers/Names"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LaidOut, layOut, wrangler } from "../../../../deploy/cloudflare/Deployment.ts"
import { modelChoiceOf } from "../../../../deploy/cloudflare/ModelChoice.ts"
import { mainModule } from "../../../../deploy/cloudflare/ScriptCode.ts"
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
  sandboxMinutesPerMonth: 300,
  checks: { image: "registry.cloudflare.com/account/pawl-checks:1", program: ["node", "checks.js"] },
  repositories: "artifacts",
  registry: "https://registry.npmjs.org/"
}

const oidc = { issuer: "https://id.example.com", audience: "pawl", clientId: "console" }

const modelChoice = () => {
  const models = modelChoiceOf(environmentOf({ url: "https://models.example/v1" }))
  if (models === null || typeof models === "string") throw new Error("no models")
  return models
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

  it("makes each class of objects in a step of its own, so that one which is added later is made too", () => {
    const made = configurations(installation).map(({ configuration, script }) => [
      script.name,
      configuration["migrations"]
    ])
    expect(Object.fromEntries(made)).toMatchObject({
      builder: [
        { tag: "v1", new_sqlite_classes: ["Builder"] },
        { tag: "v2", new_sqlite_classes: ["Layers"] }
      ],
      canonical: [
        { tag: "v1", new_sqlite_classes: ["ProjectObject"] },
        { tag: "v2", new_sqlite_classes: ["DirectoryObject"] }
      ],
      router: undefined
    })
  })

  it("gives checks as many containers as there are objects for them, each with room for a check", () => {
    const all = configurations(installation).map(({ configuration }) => configuration["containers"])
    const projects = Array.from(
      { length: 200 },
      (_, n) => `proj_00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
    )
    expect(all.filter((each) => each !== undefined)).toEqual([
      [
        {
          class_name: "Checks",
          image: installation.checks?.image,
          instance_type: "standard-1",
          max_instances: new Set(projects.map(checksName)).size
        }
      ]
    ])
    expect(checksName(projects[0]!)).toBe(checksName(projects[0]!))
  })

  it("binds Artifacts to what holds the objects, where that is chosen, and to nothing else", () => {
    const bound = (repositories: Installation["repositories"]) =>
      configurations({ ...installation, repositories }).flatMap(({ configuration, script }) =>
        (configuration["artifacts"] as ReadonlyArray<unknown>).map((each) => [script.name, each])
      )
    expect(bound("packs")).toEqual([])
    expect(bound("artifacts")).toEqual([["canonical", { binding: "ARTIFACTS", namespace: "pawl" }]])
  })

  it("tells where models are to what asks them, which there are to what holds the objects, and their key to none", () => {
    const models = modelChoice()
    const all = configurations({ ...installation, models })
    const told = all.filter(({ configuration }) => "MODELS" in (configuration["vars"] as object))
    const { callsPerDay, endpoint, tiers } = models
    expect(told.map(({ configuration, script }) => [script.name, configuration["vars"] as object])).toEqual([
      ["models", { MODELS: { endpoint, tiers } }],
      ["canonical", expect.objectContaining({ MODELS: { tiers, callsPerDay } })]
    ])
    expect(all.filter(({ script }) => "MODEL_KEY" in script.bindings).map(({ script }) => script.name)).toEqual([
      "models"
    ])
    expect(JSON.stringify(all.map(({ configuration }) => configuration))).not.toContain(modelKey)
  })

  it("has no line of a request that Cloudflare would write with its whole address", () => {
    for (const { configuration } of configurations(installation))
      expect(configuration).toMatchObject({ observability: { enabled: true, logs: { invocation_logs: false } } })
  })

  it("tells what holds the objects how much the installation may do", () => {
    const [found] = configurations({ ...installation, buildsPerDay: 7, sandboxMinutesPerMonth: 8 }).filter(
      ({ script }) => script.name === "canonical"
    )
    expect(found?.configuration["vars"]).toMatchObject({
      SETTINGS: { buildsPerDay: 7, sandboxMinutesPerMonth: 8, paused: false, requestsPerMinute: 600 }
    })
  })

  it("tells the secret of the console at a provider of identities to what asks that, and to nothing else", () => {
    const all = configurations({ ...installation, oidc })
    const [identity, canonical] = ["identity", "canonical"].map((name) =>
      all.findIndex((each) => each.script.name === name)
    )
    // Whoever is bound to a script is deployed after it.
    expect(identity).toBeLessThan(canonical ?? -1)
    expect(
      all.filter(({ script }) => "OIDC_CLIENT_SECRET" in script.bindings).map(({ script }) => script.name)
    ).toEqual(["identity"])
    expect(all[identity ?? -1]?.script).toMatchObject({ hosts: [], objects: ["Identity"] })
    expect(Object.keys(all[identity ?? -1]?.script.bindings ?? {})).toEqual(["PROVIDER", "OIDC_CLIENT_SECRET"])
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

  it("gives Node's modules to what deflates git's objects, and to nothing else", () => {
    const flags = configurations(installation).flatMap(({ configuration, script }) => {
      const given = configuration["compatibility_flags"] as ReadonlyArray<string>
      return given.length === 0 ? [] : [[script.name, given]]
    })
    expect(flags).toEqual([["canonical", ["nodejs_compat"]]])
  })

  it("is tried here on one workerd, which is all that the lock installs", () => {
    const lock: { readonly packages: object } = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../../../package-lock.json"), "utf8")
    )
    expect(Object.keys(lock.packages).filter((path) => path.endsWith("node_modules/workerd"))).toEqual([
      "node_modules/workerd"
    ])
  })

  it("has bounds as the numbers that they are", async () => {
    for (const { folder: own } of scripts)
      expect(await readFile(join(own, "index.js"), "utf8")).not.toMatch(/reservationAgainMs|hotPackBytes|appWallMs/)
  })

  it("keeps to its sizes", async () => {
    const sizes: Record<string, number> = {}
    for (const { folder: own, name, size, uploaded } of scripts) {
      sizes[name] = size
      sizes[`${name} uploaded`] = uploaded
      sizes[`${name} packed`] = gzipSync(await readFile(join(own, "index.js"))).length
    }
    expect(sizes["api"]).toBeLessThanOrEqual(495_000)
    // With the document of the contract, which is a text beside it.
    expect(sizes["api uploaded"]).toBeLessThanOrEqual(1_050_000)
    expect(sizes["router"]).toBeLessThanOrEqual(150_000)
    expect(sizes["appdata"]).toBeLessThanOrEqual(76_000)
    expect(sizes["builder"]).toBeLessThanOrEqual(346_000)
    // The core and the API's handlers run in the objects; decision 38 says what else does, and what does not any more.
    expect(sizes["canonical"]).toBeLessThanOrEqual(1_033_000)
    expect(sizes["canonical packed"]).toBeLessThanOrEqual(368_000)
    for (const name of ["canonical", "router"]) expect(sizes[`${name} uploaded`]).toBe(sizes[name])
  })

  it("keeps to the sizes of what only some installations have", async () => {
    const choices = { ...installation, oidc, models: modelChoice() }
    const bounds = new Map([
      ["identity", 131_000],
      ["models", 126_000],
      // With the planner and the agents, which it has where there are models.
      ["canonical", 1_071_000]
    ])
    for (const { script } of configurations(choices)) {
      const bound = bounds.get(script.name)
      if (bound !== undefined) expect(Buffer.byteLength(await mainModule(script))).toBeLessThanOrEqual(bound)
    }
  })
})
