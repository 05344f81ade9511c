/** Packages that Changes add, on a running server: real git, builds and sandboxes, and a registry of our own. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Audit } from "@pawl/core/model/Audit"
import { integrityOf, tgzOf } from "@pawl/testing/registry/Archives"
import { type LittleRegistry, open, type PublishedPackage } from "@pawl/testing/registry/LittleRegistry"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"

const published = (name: string): PublishedPackage => ({
  name,
  version: "1.0.0",
  archive: tgzOf([
    {
      name: "package/package.json",
      content: JSON.stringify({ name, version: "1.0.0", type: "module", main: "index.js" })
    },
    { name: "package/index.js", content: `export default ${JSON.stringify(`from ${name}`)}\n` }
  ])
})
const packages = ["left", "right", "late"].map(published)

type Ranges = Readonly<Record<string, string>>
const manifest = (dependencies: Ranges) => `${JSON.stringify({ name: "app", type: "module", dependencies }, null, 2)}\n`
const lock = (dependencies: Ranges) => {
  const entries = packages
    .filter(({ name }) => Object.hasOwn(dependencies, name))
    .map(({ archive, name, version }) => [
      `node_modules/${name}`,
      {
        version,
        resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
        integrity: integrityOf(archive)
      }
    ])
  const all = { "": { name: "app", dependencies }, ...Object.fromEntries(entries) }
  return `${JSON.stringify({ name: "app", lockfileVersion: 3, requires: true, packages: all }, null, 2)}\n`
}

const source = Flow.source("", {
  "package.json": manifest({}),
  "src/index.js":
    'import left from "./left.js"\nimport right from "./right.js"\nexport default { fetch: () => new Response(`${left} and ${right}`) }\n',
  "src/left.js": 'export default "no left"\n',
  "src/right.js": 'export default "no right"\n'
})

const adding = (name: string, withLock: boolean) => ({
  "package.json": manifest({ [name]: "^1.0.0" }),
  ...(withLock ? { "package-lock.json": lock({ [name]: "^1.0.0" }) } : {}),
  [`src/${name}.js`]: `export { default } from "${name}"\n`
})

const folder = temporaryFolder()
let server: ServerProcess
let registry: LittleRegistry
beforeAll(async () => {
  registry = await open(...packages)
  server = await startServer({ data: folder.path, environment: { PAWL_NPM_REGISTRY: registry.url } })
})
afterAll(async () => {
  await server.stop()
  await registry.close()
  folder.remove()
})

const candidatesOf = async (changeId: string) =>
  (await server.api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${changeId}/candidates`)).items

/** Promotes the newest verified Candidate of a Change, however often canonical moves on before. */
const land = async (changeId: string): Promise<CandidateJson> => {
  for (;;) {
    const found = await Flow.until(
      () => candidatesOf(changeId),
      (all) => all.some(({ status }) => status === "verified" || status === "rejected" || status === "blocked")
    )
    const verified = found.find(({ status }) => status === "verified")
    if (verified === undefined)
      throw new Error(found.map(({ reason, status }) => `${status}: ${String(reason)}`).join("\n"))
    const promoted = await Flow.promote(server.api, verified.id).catch(() => null)
    if (promoted !== null) return verified
  }
}

describe("Two Changes that each add another package, raced", () => {
  it.each([
    { form: "with locks of their own", withLock: true },
    { form: "without a lock", withLock: false }
  ])("both land, and the app has both: $form", async ({ withLock }) => {
    const { api } = server
    const { id } = await Flow.createProject(api, `race-${withLock}`, source)
    await Flow.liveApp(api, id, 0)
    const changes = []
    for (const name of ["left", "right"]) {
      const change = await Flow.openChange(api, id, name)
      await Flow.edit(api, change, adding(name, withLock))
      await Flow.requestCandidate(api, change)
      changes.push(change)
    }
    for (const change of changes)
      await Flow.until(
        () => candidatesOf(change.id),
        (all) => all.some(({ status }) => status === "verified" || status === "rejected")
      )
    const landed = await Promise.all(changes.map((change) => land(change.id)))
    const last = landed.find(({ base_generation }) => base_generation === 1)
    expect(last?.derived?.map(({ path, why }) => `${path} ${why}`)).toEqual([
      "package.json merged",
      `package-lock.json ${withLock ? "merged" : "made"}`
    ])
    const app = await Flow.liveApp(api, id, 2)
    expect(await api.page(app.url)).toMatchObject({ status: 200, text: "from left and from right" })
    const { audit } = await api.post<{ audit: Audit }>(`/v1/projects/${id}/audit`)
    expect(audit.findings).toEqual([])
  })
})

describe("A registry that is away", () => {
  it("holds up no ChangeSet, and the Candidate goes on when it is back", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "away", source)
    registry.misbehave((_, response) => {
      response.statusCode = 503
      response.end()
      return true
    })
    const before = registry.asked().length
    const change = await Flow.openChange(api, id, "late")
    await Flow.edit(api, change, { "package.json": manifest({ late: "^1.0.0" }) })
    expect(registry.asked()).toHaveLength(before)
    const candidate = await Flow.requestCandidate(api, change)
    await Flow.until(
      async () => registry.asked().length,
      (asked) => asked > before
    )
    expect((await candidatesOf(change.id)).map(({ status }) => status)).toEqual(["composing"])
    registry.misbehave(null)
    const gated = await Flow.gated(api, candidate.id)
    expect(gated).toMatchObject({ status: "verified", derived: [{ path: "package-lock.json", why: "made" }] })
  })
})
