import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as Flow from "./Flow.ts"
import { startServer, temporaryFolder } from "./ServerProcess.ts"

const folders: Array<{ readonly remove: () => void }> = []
const newFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder.path
}

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

  it("refuses a second server on the same folder, by name, and leaves the first alone", async () => {
    const data = newFolder()
    const server = await startServer({ data })
    await expect(startServer({ data })).rejects.toThrow(data)
    expect((await fetch(`${server.origin}/health`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  it.each([
    [{ PAWL_PORT: "99999" }, "port"],
    [{ PAWL_ENVIRONMENT: "staging" }, "environment"],
    [{ PAWL_PAUSED: "maybe" }, "paused"],
    [{ PAWL_DATABASE_URL: "mysql://secret@x/y" }, "databaseUrl"],
    [{ PAWL_DATABASE_SCHEMA: "pg_catalog" }, "databaseSchema"],
    [{ PAWL_ROLES: "api" }, "roles"]
  ])("says which option cannot be used: %o", async (environment, word) => {
    const failure = await startServer({ data: newFolder(), environment }).catch((error: Error) => error.message)
    expect(failure).toMatch(new RegExp(`pawl: (PAWL_)?${word}`, "i"))
    expect(failure).not.toContain("secret")
  })

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
