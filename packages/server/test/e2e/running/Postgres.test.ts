import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { ownSeconds, sleeping, wake } from "../kit/Sleeping.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { signedStatements } from "../kit/Statements.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

describe.skipIf(reason !== null)("Several processes over one Postgres and one data folder", () => {
  const folder = temporaryFolder()
  const processes: Array<ServerProcess> = []
  let postgres: PostgresServer.PostgresServer
  let front: ServerProcess
  let worker: ServerProcess

  const start = async (roles: string): Promise<ServerProcess> => {
    const environment = { PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: roles, PAWL_PROVENANCE: "enforce" }
    const started = await startServer({ data: folder.path, environment })
    processes.push(started)
    return started
  }

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    ;[front, worker] = await Promise.all([start("api,router"), start("worker")])
  })
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await postgres.stop()
    folder.remove()
  })

  it("take an edit through checks, promotion and release to its public host", async () => {
    const { api } = front
    const project = await Flow.createProject(api, "main-path")
    const before = await Flow.liveApp(api, project.id, 0)
    expect((await api.page(before.url)).text).toBe("one")
    const change = await Flow.openChange(api, project.id, "first")
    await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(candidate).toMatchObject({ status: "verified", base_generation: 0 })
    expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
    expect(await Flow.released(api, project.id, 1)).toMatchObject({ status: "deployed", replacedGeneration: 0 })
    const after = await Flow.liveApp(api, project.id, 1)
    expect((await api.page(after.url)).text).toBe("two")
    await api.put(`/v1/projects/${project.id}/policy`, { approvalRiskTiers: ["high"] })
  })

  it("state what they did in one chain, in which an audit and pawl verify find nothing", async () => {
    const { api, origin } = front
    const { items } = await api.get<{ items: ReadonlyArray<{ readonly id: string }> }>("/v1/projects")
    const id = items[0]?.id ?? ""
    const said = await Flow.until(
      () => signedStatements(front, id),
      (all) => all.length === 7
    )
    expect(
      said.map(
        ({ kind, predicate: { generation } }) => `${kind} ${generation === undefined ? "" : JSON.stringify(generation)}`
      )
    ).toEqual(["policy ", "promotion 0", "release 0", "promotion 1", "release 1", "outcome 1", "policy "])
    const { audit } = await api.post<{ audit: unknown }>(`/v1/projects/${id}/audit`)
    expect(audit).toMatchObject({ generations: 2, findings: [], notes: [] })
    const { keys } = await api.get<{ keys: ReadonlyArray<{ readonly keyid: string }> }>("/v1/keys")
    const args = ["verify", origin, "--project", id, "--key", keys[0]?.keyid ?? "", "--token", token]
    const ended = await pawl(args, { XDG_STATE_HOME: join(folder.path, "state") })
    expect(ended).toMatchObject({ code: 0, output: expect.stringMatching(/^ok .* S0–S1 /) })
  })

  it("say plainly what each of them does not do, and that they are well", async () => {
    expect(await worker.api.refused("/v1/projects")).toMatchObject({
      status: 503,
      problem: { code: "not_served_here" }
    })
    expect((await worker.api.page("http://main-path.apps.localhost/")).status).toBe(503)
    for (const { origin } of [front, worker]) {
      const health = await fetch(`${origin}/health`)
      expect(health.status).toBe(200)
      expect(await health.json()).toMatchObject({ status: "ok", environment: "production" })
      const ready = await fetch(`${origin}/health/ready`)
      expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
    }
  })

  it("carry on with the work of one that was killed in the middle of it", async () => {
    const { api } = front
    const slow = JSON.stringify({
      checks: [{ id: "test", command: "sleep 3 && echo ran" }],
      probes: [{ path: "/", status: 200 }]
    })
    const project = await Flow.createProject(api, "killed", Flow.source("one", { "pawl.json": slow }))
    await Flow.liveApp(api, project.id, 0)
    const change = await Flow.openChange(api, project.id, "interrupted")
    await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const { id } = await Flow.requestCandidate(api, change)
    await Flow.until(
      () => api.get<{ candidate: { status: string } }>(`/v1/candidates/${id}`),
      ({ candidate }) => candidate.status === "verifying"
    )
    expect(await worker.stop("SIGKILL")).toBe("SIGKILL")
    worker = await start("worker")
    const candidate = await Flow.gated(api, id)
    expect(candidate.status).toBe("verified")
    const rows = (await Flow.evidence(api, id)).map((row) => `${row.checkId} ${row.result}`)
    expect(rows.toSorted()).toEqual(["build pass", "test pass"])
  })

  it("give their work back when they are stopped, so that the next takes it at once", async () => {
    const { api } = front
    const seconds = ownSeconds()
    const slow = JSON.stringify({
      checks: [{ id: "test", command: `sleep ${seconds}; echo ran` }],
      probes: [{ path: "/", status: 200 }]
    })
    const project = await Flow.createProject(api, "rolled", Flow.source("one", { "pawl.json": slow }))
    await Flow.liveApp(api, project.id, 0)
    const change = await Flow.openChange(api, project.id, "rolling")
    await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const { id } = await Flow.requestCandidate(api, change)
    await Flow.until(async () => sleeping(seconds), Boolean)
    expect(await worker.stop()).toBe(0)
    await Flow.until(
      async () => sleeping(seconds),
      (count) => count === 0
    )
    const held = `SELECT 1 FROM pawl.pawl_command WHERE token IS NOT NULL OR deaths > 0 OR attempts > 0`
    await PostgresServer.administer(
      postgres.url,
      `DO $$ BEGIN IF EXISTS (${held}) THEN RAISE EXCEPTION 'a command is held'; END IF; END $$`
    )
    worker = await start("worker")
    await Flow.until(async () => sleeping(seconds), Boolean)
    wake(seconds)
    expect((await Flow.gated(api, id)).status).toBe("verified")
    expect(await api.get(`/v1/projects/${project.id}/dead-letters`)).toMatchObject({ items: [] })
  })

  it("let a process alone have the folder only when nobody is in it", async () => {
    await expect(startServer({ data: folder.path })).rejects.toThrow(/is in use/)
  })

  it("tell the doctor which database it sees, and nobody its password", async () => {
    const { code, output } = await pawl(["doctor"], { PAWL_DATABASE_URL: postgres.url, PAWL_DATA: folder.path })
    expect(code).toBe(0)
    expect(output).toMatch(/Database +Postgres \d+.*, schema pawl/)
    const { password } = new URL(postgres.url)
    const said = [output, ...processes.flatMap((each) => [each.log(), ...each.output])].join("\n")
    expect(said).not.toContain(postgres.url)
    expect(said).not.toContain(`:${password}@`)
  })
})
