/** Flaky checks and freezes on a real server: real sandboxes, and a thaw that comes while the server is away. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Flakes } from "@pawl/core/verification/Flakes"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const clock = fileURLToPath(new URL("../../fixtures/version-3/Clock.ts", import.meta.url))
const hourMs = 60 * 60 * 1000
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()

/** Checks that pass as often as a coin falls on one side. */
const coins = Array.from({ length: 16 }, (_, n) => ({
  id: `coin-${n}`,
  command: "test $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0",
  required: false
}))
const tossed = Flow.source("one", { "pawl.json": JSON.stringify({ checks: coins, probes: [{ path: "/" }] }) })

describe("A server", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ data })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const putPolicy = (id: string, body: object) =>
    fetch(`${server.origin}/v1/projects/${id}/policy`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  const candidateOf = async (projectId: string, name: string) => {
    const change = await Flow.openChange(server.api, projectId, name)
    await Flow.edit(server.api, change, { [`public/${name}.txt`]: name })
    return Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
  }

  it("retries each command that failed once, keeps both rows, counts what is flaky, and takes a quarantine of that alone", async () => {
    const { id } = await Flow.createProject(server.api, "coins", tossed)
    expect((await putPolicy(id, { flakeRetries: 1 })).status).toBe(200)
    const rows: Array<Evidence> = []
    const retries = () => rows.filter(({ retryOf }) => retryOf !== undefined)
    // A coin shows both sides in one of four tosses: that none of so many does never happens.
    for (let n = 1; n <= 4 && !retries().some(({ result }) => result === "pass"); n++)
      rows.push(...(await Flow.evidence(server.api, (await candidateOf(id, `change-${n}`)).id)))
    const failures = rows.filter(({ result, retryOf }) => result === "fail" && retryOf === undefined)
    expect(new Set(retries().map(({ retryOf }) => retryOf))).toEqual(new Set(failures.map((row) => row.id)))
    expect(retries().length).toBe(failures.length)
    for (const retry of retries()) {
      const failure = failures.find((row) => row.id === retry.retryOf)
      expect([retry.attempt, retry.checkId, retry.tree]).toEqual([2, failure?.checkId, failure?.tree])
    }
    const flaky = retries().filter(({ result }) => result === "pass")
    const said = await server.api.get<Flakes>(`/v1/projects/${id}/flakes`)
    const both = ({ failId, passId }: Pick<Flakes["flakes"][number], "failId" | "passId">) => `${failId} ${passId}`
    expect(new Set(said.flakes.map(both))).toEqual(new Set(flaky.map((row) => `${row.retryOf} ${row.id}`)))
    expect(said.checks.reduce((sum, { flakes }) => sum + flakes, 0)).toBe(flaky.length)
    const quarantine = (check: string | undefined, hours: number) => ({
      flakeRetries: 1,
      waivedChecks: [{ id: check, reason: "a coin", until: inHours(hours), because: "flaky" }]
    })
    const coin = flaky[0]?.checkId
    expect((await putPolicy(id, quarantine("build", 24))).status).toBe(400)
    expect((await putPolicy(id, quarantine("another", 24))).status).toBe(400)
    expect((await putPolicy(id, quarantine(coin, 15 * 24))).status).toBe(400)
    expect((await putPolicy(id, quarantine(coin, 24))).status).toBe(200)
  })

  it("promotes nothing in a freeze, says why, and at the thaw promotes by itself what was asked for, though it was away", async () => {
    const { id } = await Flow.createProject(server.api, "frozen")
    const freezes = [{ from: inHours(-1), until: inHours(1), reason: "the fair" }]
    expect((await putPolicy(id, { freezes })).status).toBe(200)
    const made = await candidateOf(id, "change")
    expect(made.status).toBe("verified")
    const { problem, status } = await server.api.refused(`/v1/candidates/${made.id}/promote`)
    expect([status, problem]).toMatchObject([
      409,
      { code: "blocked", blocks: [{ code: "frozen", until: freezes[0]?.until, reason: "the fair" }] }
    ])
    expect(await server.api.get(`/v1/candidates/${made.id}/why`)).toMatchObject({
      canPromote: false,
      blocks: [{ code: "frozen" }],
      next: expect.stringContaining("(the fair)")
    })
    await server.stop()
    const ahead = { NODE_OPTIONS: `--import=${clock}`, PAWL_TEST_CLOCK_AHEAD_MS: String(2 * hourMs) }
    server = await startServer({ data, environment: ahead })
    const asked = () => server.api.get<{ candidate: { status: string } }>(`/v1/candidates/${made.id}`)
    await Flow.until(asked, ({ candidate }) => candidate.status === "promoted")
    expect((await Flow.released(server.api, id, 1)).status).toBe("deployed")
  })
})
