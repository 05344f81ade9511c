/** Packages that Changes add, on a running server: real git, builds and sandboxes, and a registry of our own. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Audit } from "@pawl/core/model/Audit"
import { integrityOf, tgzOf } from "@pawl/testing/registry/Archives"
import { slice } from "@pawl/testing/Depth"
import { type LittleRegistry, open, type PublishedPackage } from "@pawl/testing/registry/LittleRegistry"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import type { WhyAnswer } from "@pawl/server/api/groups/CandidatesApi"
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

/** A lock as pnpm writes it. */
const pnpmLock = (dependencies: Ranges) => {
  const found = packages.filter(({ name }) => Object.hasOwn(dependencies, name))
  const direct = found.map(
    ({ name, version }) => `      ${name}:\n        specifier: ${dependencies[name]}\n        version: ${version}\n`
  )
  const importer = found.length === 0 ? "  .: {}\n" : `  .:\n    dependencies:\n${direct.join("")}`
  const entries = found.map(
    ({ archive, name, version }) => `  ${name}@${version}:\n    resolution: {integrity: ${integrityOf(archive)}}\n`
  )
  const rest = ["packages", ...entries, "snapshots", ...found.map(({ name, version }) => `  ${name}@${version}: {}\n`)]
  const parts = rest.map((each) => (each.startsWith(" ") ? each : `${each}:\n`))
  const settings = "settings:\n  autoInstallPeers: true\n  excludeLinksFromLockfile: false\n"
  return ["lockfileVersion: '9.0'\n", settings, "importers:\n", importer, ...(found.length === 0 ? [] : parts)].join(
    "\n"
  )
}

const lockFiles = { npm: "package-lock.json", pnpm: "pnpm-lock.yaml" } as const
const locks = { npm: lock, pnpm: pnpmLock }
type Format = keyof typeof lockFiles

const adding = (name: string, withLock: boolean, format: Format) => ({
  "package.json": manifest({ [name]: "^1.0.0" }),
  ...(withLock ? { [lockFiles[format]]: locks[format]({ [name]: "^1.0.0" }) } : {}),
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
  const forms: ReadonlyArray<{ readonly form: string; readonly withLock: boolean; readonly format: Format }> = [
    { form: "with locks of their own", withLock: true, format: "npm" },
    { form: "without a lock", withLock: false, format: "npm" },
    { form: "without pnpm's lock", withLock: false, format: "pnpm" },
    { form: "with locks of pnpm", withLock: true, format: "pnpm" }
  ]
  // Each quick run has one of npm and one of pnpm, and one with locks.
  it.each(slice(forms, { quick: 2 }))("both land, and the app has both: $form", async ({ format, withLock }) => {
    const { api } = server
    const begins = format === "npm" ? source : { ...source, [lockFiles.pnpm]: pnpmLock({}) }
    const { id } = await Flow.createProject(api, `race-${format}-${withLock}`, begins)
    await Flow.liveApp(api, id, 0)
    const changes = []
    for (const name of ["left", "right"]) {
      const change = await Flow.openChange(api, id, name)
      await Flow.edit(api, change, adding(name, withLock, format))
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
      `${lockFiles[format]} ${withLock ? "merged" : "made"}`
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
    const waiting = await Flow.until(
      () => api.get<WhyAnswer>(`/v1/candidates/${candidate.id}/why`),
      ({ waits }) => waits.length > 0
    )
    expect(waiting.waits[0]?.reason).toContain(registry.url)
    expect(waiting.next).toMatch(/^Wait: the packages cannot be had now: .*it is tried again by itself at /s)
    registry.misbehave(null)
    const gated = await Flow.gated(api, candidate.id)
    expect(gated).toMatchObject({ status: "verified", derived: [{ path: "package-lock.json", why: "made" }] })
  })
})
