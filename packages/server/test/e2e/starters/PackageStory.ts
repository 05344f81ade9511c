/**
 * The life of a Project with packages, from its lock file to a rebuild: it goes live, a change of it is checked, promoted
 * and served, and then, with the registry gone and all that was unpacked dropped, it is built again to the same bytes.
 */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { pawl } from "../kit/Command.ts"
import {
  createProject,
  edit,
  evidence,
  gated,
  liveApp,
  openChange,
  promote,
  released,
  requestCandidate,
  until
} from "../kit/Flow.ts"
import { startServer, token } from "../kit/ServerProcess.ts"
import { visit } from "../kit/Visit.ts"

export interface PackageStory {
  readonly data: string
  readonly slug: string
  readonly files: Readonly<Record<string, string>>
  readonly registry: string
  /** The registry ends, and does not come back. */
  readonly stopRegistry: () => Promise<void>
  /** Of the Change: what is edited, and what the first page and an answer of the API hold before and after. */
  readonly edited: Readonly<Record<string, string>>
  readonly checks: ReadonlyArray<string>
  readonly before: RegExp
  readonly after: RegExp
  readonly api: { readonly path: string; readonly text: RegExp }
}

/** What is shown to a visitor: the page with the scripts that it names. */
const shown = async (server: { readonly port: number }, slug: string): Promise<string> => {
  const page = (await visit(server, slug, "/")).text
  const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, path]) => path ?? "")
  const texts = await Promise.all(scripts.map(async (path) => (await visit(server, slug, path)).text))
  return [page, ...texts].join("\n")
}

/** Everything of the packages that can be made again. */
const dropCaches = (data: string): void => {
  const folder = join(data, "packages")
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["layers", "unpacked"]))
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}

/** Runs it, with what it expects on the way. */
export const tell = async (story: PackageStory): Promise<void> => {
  const start = () => startServer({ data: story.data, environment: { PAWL_NPM_REGISTRY: story.registry } })
  let server = await start()
  try {
    const { id } = await createProject(server.api, story.slug, story.files)
    const { app } = await until(
      () => server.api.get<{ app: { status: string; reason: string | null } | null }>(`/v1/projects/${id}/app`),
      (answer) => answer.app !== null && answer.app.status !== "building"
    )
    expect(app).toMatchObject({ status: "live", reason: null })
    expect(await shown(server, story.slug)).toMatch(story.before)
    expect((await visit(server, story.slug, story.api.path)).text).toMatch(story.api.text)

    const change = await openChange(server.api, id, "other words")
    await edit(server.api, change, story.edited)
    const candidate = await gated(server.api, (await requestCandidate(server.api, change)).id)
    const found = await evidence(server.api, candidate.id)
    expect(found.map(({ checkId, result, summary }) => [checkId, result === "pass" ? result : summary])).toEqual(
      expect.arrayContaining(["build", ...story.checks].map((check) => [check, "pass"]))
    )
    await promote(server.api, candidate.id)
    expect(await released(server.api, id, 1)).toMatchObject({ status: "deployed" })
    await liveApp(server.api, id, 1)
    expect(await shown(server, story.slug)).toMatch(story.after)

    await server.stop()
    await story.stopRegistry()
    dropCaches(story.data)
    server = await start()
    const rebuilt = await pawl(["audit", id, "--rebuild", "--url", server.origin], { PAWL_TOKEN: token })
    expect(rebuilt.output).toContain("S1  built again: same")
    expect(rebuilt.code).toBe(0)
    expect(await shown(server, story.slug)).toMatch(story.after)
  } finally {
    await server.stop()
  }
}
