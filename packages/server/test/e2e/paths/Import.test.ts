import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import { source } from "../kit/Flow.ts"
import { startServer, type ServerProcess, temporaryFolder, token } from "../kit/ServerProcess.ts"

const data = temporaryFolder()
const local = temporaryFolder()
let server: ServerProcess
beforeAll(async () => {
  server = await startServer({ data: data.path })
})
afterAll(async () => {
  await server.stop()
  data.remove()
  local.remove()
})

const folderOf = (name: string, files: Readonly<Record<string, string>>): string => {
  const folder = join(local.path, name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

const importing = (...args: ReadonlyArray<string>) =>
  pawl(["import", ...args], { PAWL_URL: server.origin, PAWL_TOKEN: token })

describe("pawl import", () => {
  it("makes a Project of a folder and says where it is live, and what it did not send", async () => {
    const { code, output } = await importing(folderOf("My App", source("from a folder", { ".env": "KEY=secret" })))
    expect(output).toContain(".env: it may hold secrets")
    expect(output).toMatch(/live at http:\/\/my-app\.apps\.localhost:\d+\//)
    expect(code).toBe(0)
    const { items } = await server.api.get<{ items: ReadonlyArray<{ id: string; slug: string }> }>("/v1/projects")
    const { entries } = await server.api.get<{ entries: ReadonlyArray<{ path: string }> }>(
      `/v1/projects/${items.find(({ slug }) => slug === "my-app")?.id}/code`
    )
    expect(entries.map(({ path }) => path)).toContain("src/index.js")
    expect(entries.map(({ path }) => path)).not.toContain(".env")
  })

  it("says why a folder cannot be built, and ends with 1", async () => {
    const broken = folderOf("broken", source("x", { "src/index.js": "export default {" }))
    const { code, output } = await importing(broken, "--slug", "named")
    expect(output).toMatch(/is not live \(build_failed\):\n.*src\/index\.js/)
    expect(code).toBe(1)
  })

  it("sends nothing that is too large, that has no slug, or that is not there, and ends with 2", async () => {
    const large = folderOf("large", { "a.txt": "a".repeat(6_000_000), "b.txt": "b".repeat(6_000_000) })
    const refused = await importing(large)
    expect(refused).toMatchObject({ code: 2, output: expect.stringMatching(/10 MiB.*a\.txt \(5\.7 MiB\)/) })
    rmSync(large, { recursive: true })
    expect(await importing(large)).toMatchObject({ code: 2, output: expect.stringContaining("is no folder") })
    const nameless = folderOf("___", { "a.txt": "a" })
    expect(await importing(nameless)).toMatchObject({ code: 2, output: expect.stringContaining("--slug") })
    expect(await importing(nameless, "--slug", "my-app")).toMatchObject({
      code: 2,
      output: expect.stringMatching(/slug_taken: proj_\S+ has the slug my-app and is live at http\S+; .*--slug/)
    })
  })

  it("goes on with a Project that an import left without a live app, and with no other", async () => {
    const broken = { "src/index.js": "export default {", "old.txt": "x" }
    const folder = folderOf("again", source("x", broken))
    expect(await importing(folder)).toMatchObject({ code: 1 })
    // As it is, it is built again, and the words are the same.
    await importing(folder)
    const same = await importing(folder)
    expect(same).toMatchObject({
      code: 1,
      output: expect.stringMatching(/was never live: going on with it[^]*src\/index\.js/)
    })
    rmSync(join(folder, "old.txt"))
    folderOf("again", source("mended"))
    const mended = await importing(folder)
    expect(mended.output).toMatch(/live at http:\/\/again\.apps\.localhost:\d+\//)
    expect(mended.code).toBe(0)
    const { items } = await server.api.get<{ items: ReadonlyArray<{ id: string; slug: string }> }>("/v1/projects")
    const { entries } = await server.api.get<{ entries: ReadonlyArray<{ path: string }> }>(
      `/v1/projects/${items.find(({ slug }) => slug === "again")?.id}/code`
    )
    expect(entries.map(({ path }) => path)).not.toContain("old.txt")
    expect(await importing(folder)).toMatchObject({ code: 2, output: expect.stringContaining("slug_taken") })
  })
})
