import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import { slice } from "@pawl/testing/Depth"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { signedStatements } from "../kit/Statements.ts"
import { verifier } from "../kit/Verifying.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

/** Processes of an installation whose repositories are packs: each has a cache of its own. */
const installation = (data: string, url: () => string | null, processes: ReadonlyArray<string>) => {
  const started: Array<ServerProcess> = []
  let lost = 0
  const cacheOf = (at: number) => join(data, `cache-${at}`)
  const environment = (at: number, roles: string) => {
    const database = url()
    return {
      PAWL_REPOSITORIES: "packs",
      PAWL_CACHE: cacheOf(at),
      PAWL_ROLES: roles,
      ...(database === null ? {} : { PAWL_DATABASE_URL: database })
    }
  }
  return {
    start: async () => {
      started.push(
        ...(await Promise.all(
          processes.map((roles, at) => startServer({ data: join(data, "data"), environment: environment(at, roles) }))
        ))
      )
    },
    stop: () => Promise.all(started.map((each) => each.stop())),
    front: (): ServerProcess => started[0]!,
    /** All copies of all processes, gone beneath them. */
    loseCopies: () => {
      const folders = processes.flatMap((_, at) => readdirSync(cacheOf(at)).map((name) => join(cacheOf(at), name)))
      const copies = folders.filter((path) => /\/copies-[0-9a-f-]{36}$/.test(path))
      mkdirSync(join(data, "lost"), { recursive: true })
      for (const path of copies)
        for (const name of readdirSync(path)) renameSync(join(path, name), join(data, "lost", `${lost++}`))
      return copies.length
    }
  }
}

const lives = (name: string, processes: ReadonlyArray<string>, onPostgres: boolean): void => {
  describe.skipIf(onPostgres && reason !== null)(name, () => {
    const folder = temporaryFolder()
    const client = gitClient(join(folder.path, "people"))
    let postgres: PostgresServer.PostgresServer | null = null
    const pawl = installation(folder.path, () => postgres?.url ?? null, processes)

    beforeAll(async () => {
      postgres = onPostgres ? await PostgresServer.start() : null
      await pawl.start()
    })
    afterAll(async () => {
      await pawl.stop()
      await postgres?.stop()
      folder.remove()
    })

    it("take a push to its host, are cloned, and lose all copies on the way without anyone noticing", async () => {
      const { api, origin } = pawl.front()
      const project = await Flow.createProject(api, "packs")
      const before = await Flow.liveApp(api, project.id, 0)
      const url = gitUrl(origin, project.id, token)
      expect((await client.clone(url, "mine")).code).toBe(0)
      expect(pawl.loseCopies()).toBe(processes.length)

      const change = await Flow.openChange(api, project.id, "first")
      await client.commit("mine", { "src/index.js": Flow.source("two")["src/index.js"]! }, "Say two")
      const pushed = await client.run("mine", ["push", "origin", `HEAD:refs/changes/${change.id}`])
      expect([pushed.code, pushed.output]).toEqual([0, expect.stringContaining("Recorded as ChangeSet")])
      pawl.loseCopies()
      const asked = await Flow.requestCandidate(api, change)
      // While it is composed and checked.
      pawl.loseCopies()
      const candidate = await Flow.gated(api, asked.id)
      expect(candidate).toMatchObject({ status: "verified", base_generation: 0 })
      pawl.loseCopies()
      const promoted = await Flow.promote(api, candidate.id)
      expect(promoted).toMatchObject({ outcome: "promoted", generation: 1 })
      expect(await Flow.released(api, project.id, 1)).toMatchObject({ status: "deployed" })
      expect((await api.page(before.url)).text).toBe("two")

      pawl.loseCopies()
      expect((await client.clone(url, "other")).code).toBe(0)
      expect(await client.git("other", "rev-parse", "HEAD")).toBe(promoted.commit)
      await client.git("other", "fsck", "--strict")
      expect(readFileSync(join(client.path("other"), "src/index.js"), "utf8")).toBe(Flow.source("two")["src/index.js"])
      await client.git("mine", "pull", "-q", "--no-rebase", "origin", "main")
      expect(await client.git("mine", "rev-parse", "HEAD^{tree}")).toBe(promoted.tree)
      const { items } = await api.get<{ items: ReadonlyArray<ChangeSet> }>(`/v1/changes/${change.id}/changesets`)
      expect(items.map((each) => each.message)).toEqual(["Say two"])
      const { audit } = await api.post<{ audit: unknown }>(`/v1/projects/${project.id}/audit`)
      expect(audit).toMatchObject({ generations: 2, findings: [] })
      expect(existsSync(join(folder.path, "data/repositories"))).toBe(false)
    })

    it("are not taken for folders: a start that would find none of them says so", async () => {
      await pawl.stop()
      const environment = {
        PAWL_REPOSITORIES: "folder",
        PAWL_ROLES: "api,router,worker",
        ...(postgres === null ? {} : { PAWL_DATABASE_URL: postgres.url })
      }
      await expect(startServer({ data: join(folder.path, "data"), environment })).rejects.toThrow(
        "repositories (PAWL_REPOSITORIES): folder, but the repositories of this installation are packs in its stores; use packs"
      )
    })
  })
}

const homes = [
  () => lives("Repositories as packs in SQLite", ["api,router,worker"], false),
  () => lives("Repositories as packs in Postgres, for three processes", ["api,router", "worker", "worker"], true)
]
for (const declared of slice(homes, { quick: 1 })) declared()

describe("Repositories as packs in a data folder", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  let key = ""

  beforeAll(async () => {
    const server = await startServer({ data, environment: { PAWL_REPOSITORIES: "packs" } })
    const project = await Flow.createProject(server.api, "kept")
    await Flow.liveApp(server.api, project.id, 0)
    const said = () => signedStatements(server, project.id)
    await Flow.until(said, (all) => all.some(({ kind }) => kind === "release"))
    const { keys } = await server.api.get<{ keys: ReadonlyArray<{ readonly keyid: string }> }>("/v1/keys")
    key = keys[0]?.keyid ?? ""
    await server.stop()
  })
  afterAll(() => folder.remove())

  it("are verified offline, and what was done to a pack or to main is named", async () => {
    const { copyOf, judged, verify } = verifier(join(folder.path, "verifying"))
    const { again, first, other } = await judged(copyOf(data), key)
    expect([first.code, again.code, other.code, first.output]).toEqual([0, 0, 0, expect.anything()])
    const flipped = copyOf(data, (database) => {
      const row = database.prepare("SELECT through, body FROM pawl_pack WHERE fork = '' ORDER BY through").get()
      const bytes = Buffer.from(String(row?.["body"]), "base64")
      bytes[20] = (bytes[20] ?? 0) ^ 1
      database
        .prepare("UPDATE pawl_pack SET body = ? WHERE fork = '' AND through = ?")
        .run(bytes.toString("base64"), Number(row?.["through"]))
    })
    const damaged = await verify(flipped, key)
    expect([damaged.code, damaged.output]).toEqual([1, expect.stringContaining("commit_missing")])
    const moved = copyOf(data, (database) =>
      database.exec("UPDATE pawl_repo SET main = '0123456789012345678901234567890123456789' WHERE fork = ''")
    )
    expect((await verify(moved, key)).code).toBe(1)
  })
})

describe("Repositories as folders", () => {
  it("are not taken for packs", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ data: folder.path })
    await Flow.createProject(server.api, "folders")
    await Flow.liveApp(
      server.api,
      (await server.api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/projects")).items[0]!.id,
      0
    )
    await server.stop()
    await expect(startServer({ data: folder.path, environment: { PAWL_REPOSITORIES: "packs" } })).rejects.toThrow(
      "repositories (PAWL_REPOSITORIES): packs, but the repositories of this installation are folders of the data folder; use folder"
    )
    folder.remove()
  })
})
