/** What is deployed to Cloudflare: each script as wrangler takes it, without a network. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LaidOut, layOut, wrangler } from "../../../../deploy/cloudflare/Deployment.ts"
import type { Installation } from "../../../../deploy/cloudflare/Scripts.ts"
import { configurations } from "../../../../deploy/cloudflare/Wrangler.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-deployment-"))

const installation: Installation = {
  environment: "production",
  appsDomain: "pawl-apps.example",
  apiOrigin: "https://pawl.example.com",
  oidc: null,
  paused: false,
  version: "0.0.0-test",
  requestsPerMinute: 600,
  buildsPerDay: 60,
  checks: { image: "registry.cloudflare.com/account/pawl-checks:1", program: ["node", "checks.js"] },
  repositories: "artifacts"
}

describe("A deployment to Cloudflare", () => {
  let scripts: ReadonlyArray<LaidOut>
  beforeAll(async () => {
    scripts = await layOut(installation, folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is six scripts that wrangler would deploy as they are", async () => {
    expect(scripts.map(({ name }) => name)).toEqual(["builder", "checks", "canonical", "integration", "api", "router"])
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

  it("keeps to its sizes", () => {
    const sizeOf = (name: string) => scripts.find((script) => script.name === name)?.size ?? Number.NaN
    expect(sizeOf("api")).toBeLessThanOrEqual(1_200_000)
    expect(sizeOf("router")).toBeLessThanOrEqual(650_000)
    // The API's handlers run in the objects, and what assistants are told by is in api.
    expect(sizeOf("canonical")).toBeLessThanOrEqual(2_000_000)
  })
})
