import { chmodSync, chownSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const folders: Array<{ readonly remove: () => void }> = []
const newFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder.path
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe("Starting and stopping", () => {
  afterAll(() => {
    for (const folder of folders) folder.remove()
  })

  it("makes an owner's token once, keeps it at mode 0600, and shows it once", async () => {
    const data = join(newFolder(), "new", "data")
    const server = await startServer({ data, ownToken: true })
    const path = join(data, "owner-token")
    const kept = readFileSync(path, "utf8").trim()
    expect(kept).toMatch(/^pawl_[A-Za-z0-9_-]{43}$/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(server.output.join("\n")).toContain(kept)
    const me = await fetch(`${server.origin}/v1/me`, { headers: { authorization: `Bearer ${kept}` } })
    expect(me.status).toBe(200)
    expect(await server.stop()).toBe(0)
    const again = await startServer({ data, ownToken: true })
    expect(again.output.join("\n")).not.toContain(kept)
    expect(again.log()).not.toContain(kept)
    expect(await again.stop()).toBe(0)
  })

  it("takes a data folder that others can read from their eyes, and makes none that they can", async () => {
    const data = newFolder()
    for (const folder of [data, join(data, "new")]) {
      const first = await startServer({ data: folder })
      expect(await first.stop()).toBe(0)
      const files = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isFile())
      expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["pawl.db", "lock.db", "owner-token"]))
      for (const { name } of files) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600])
    }
    chmodSync(data, 0o755)
    for (const name of ["pawl.db", "lock.db", "owner-token"]) chmodSync(join(data, name), 0o644)
    const elsewhere = join(newFolder(), "elsewhere")
    writeFileSync(elsewhere, "not Pawl's", { mode: 0o644 })
    symlinkSync(elsewhere, join(data, "start.db"))
    writeFileSync(join(data, "signing-key"), "whatever lies there", { mode: 0o644 })
    const again = await startServer({ data })
    expect(modeOf(data)).toBe(0o700)
    for (const name of ["pawl.db", "pawl.db-wal", "pawl.db-shm", "lock.db", "lock.pid", "owner-token", "signing-key"])
      expect([name, modeOf(join(data, name))]).toEqual([name, 0o600])
    expect(modeOf(elsewhere)).toBe(0o644)
    expect(await again.stop()).toBe(0)
  })

  it("refuses a data folder that everybody shares, in words, and leaves it as it was", async () => {
    const data = newFolder()
    chmodSync(data, 0o1777)
    await expect(startServer({ data })).rejects.toThrow(`${data} is a folder that everybody shares`)
    expect(statSync(data).mode & 0o7777).toBe(0o1777)
  })

  it("refuses a data folder that others can read and that belongs to somebody else, in words", async () => {
    const own = newFolder()
    const isRoot = process.getuid?.() === 0
    // As root everything can be tightened: then somebody else starts the server on root's folder.
    const data = isRoot ? own : "/usr"
    chmodSync(own, 0o755)
    const wrap = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    await expect(startServer({ data, wrap })).rejects.toThrow(
      `${data} can be read by others, and it belongs to the user 0`
    )
    expect(modeOf(data)).toBe(0o755)
  })

  it.runIf(process.getuid?.() === 0)("refuses a closed data folder of somebody else too, as root", async () => {
    const data = newFolder()
    chownSync(data, 65534, 65534)
    await expect(startServer({ data })).rejects.toThrow(`${data} belongs to the user 65534`)
    expect(readdirSync(data)).toEqual([])
  })

  it("refuses an owner's token in its file that no router would know for one", async () => {
    const data = newFolder()
    writeFileSync(join(data, "owner-token"), "my-owner-secret-12345\n", { mode: 0o600 })
    const failure = await startServer({ data, ownToken: true }).catch((error: Error) => error.message)
    expect(failure).toMatch(/ended with 2 .*pawl: ownerToken: the token that .*owner-token keeps cannot be one/s)
    expect(failure).not.toContain("my-owner-secret")
  })

  it("refuses a second server on the same folder, by name, and leaves the first alone", async () => {
    const data = newFolder()
    const server = await startServer({ data })
    await expect(startServer({ data })).rejects.toThrow(data)
    expect((await fetch(`${server.origin}/health`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  const unusable = [
    [{ PAWL_PORT: "99999" }, "port"],
    [{ PAWL_ENVIRONMENT: "staging" }, "environment"],
    [{ PAWL_PAUSED: "maybe" }, "paused"],
    [{ PAWL_DATABASE_URL: "mysql://secret@x/y" }, "databaseUrl"],
    [{ PAWL_DATABASE_SCHEMA: "pg_catalog" }, "databaseSchema"],
    [{ PAWL_ROLES: "api" }, "roles"],
    [{ PAWL_OWNER_TOKEN: "my-owner-secret-12345" }, "ownerToken \\(PAWL_OWNER_TOKEN\\): use pawl_"],
    [{ PAWL_OWNER_TOKEN: "pawl_" }, "ownerToken"],
    [{ PAWL_ENVIRONMENT: "development", PAWL_APPS_DOMAIN: "apps.localhost" }, "appsDomain \\(PAWL_APPS_DOMAIN\\)"]
  ] as const

  it.each(slice(unusable, { quick: 3 }))(
    "says which option cannot be used, and ends with 2: %o",
    async (environment, word) => {
      const failure = await startServer({ data: newFolder(), environment }).catch((error: Error) => error.message)
      expect(failure).toContain("the server ended with 2 before it was ready")
      expect(failure).toMatch(new RegExp(`pawl: (PAWL_)?${word}`, "i"))
      expect(failure).not.toContain("secret")
    }
  )

  it("goes on where it stopped after SIGKILL", async () => {
    const data = newFolder()
    const server = await startServer({ data })
    const project = await Flow.createProject(server.api, "goes-on")
    const change = await Flow.openChange(server.api, project.id, "one")
    await Flow.edit(server.api, change, { "a.txt": "a" })
    const asked = await Flow.requestCandidate(server.api, change)
    expect(await server.stop("SIGKILL")).toBe("SIGKILL")
    const next = await startServer({ data })
    expect((await Flow.gated(next.api, asked.id)).status).toBe("verified")
    await Flow.liveApp(next.api, project.id, 0)
    expect(await next.stop()).toBe(0)
  })

  it("hosts no apps in development, and still builds, checks and promotes", async () => {
    const server = await startServer({ data: newFolder(), environment: { PAWL_ENVIRONMENT: "development" } })
    const project = await Flow.createProject(server.api, "no-apps")
    expect(await server.api.get(`/v1/projects/${project.id}/app`)).toEqual({ enabled: false, app: null })
    expect(await server.api.refused(`/v1/projects/${project.id}/app`)).toMatchObject({
      status: 409,
      problem: { code: "apps_disabled" }
    })
    const change = await Flow.openChange(server.api, project.id, "one")
    await Flow.edit(server.api, change, { "a.txt": "a" })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    expect(await Flow.promote(server.api, candidate.id)).toMatchObject({
      outcome: "promoted",
      generation: 1,
      releaseId: null
    })
    expect((await server.api.get<{ change: { status: string } }>(`/v1/changes/${change.id}`)).change.status).toBe(
      "completed"
    )
    expect(await server.stop()).toBe(0)
  })
})
