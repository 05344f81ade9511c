/** What people say beside a decision and a rollback stands in rows that both programs verify. */
import { join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { nothing, rewrite, verdictOf, verifier } from "../kit/Verifying.ts"

const note = 'read "line by line": \\ für gut befunden \u{1f44d}\u2028\u00a0'

describe("rows with what people said, served by a router that enforces", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const { copyOf, judged, verify } = verifier(folder.path)
  let server: ServerProcess
  let id: string
  let key: string

  const approved = async (candidateId: string): Promise<void> => {
    const { changeId, status } = await Flow.gated(server.api, candidateId)
    expect(status).toBe("verified")
    await server.api.post(`/v1/changes/${changeId}/approve`, { candidateId, decision: "granted", note })
    const { generation } = await Flow.promote(server.api, candidateId)
    expect(await Flow.released(server.api, id, generation)).toMatchObject({ status: "deployed" })
  }

  beforeAll(async () => {
    server = await startServer({ data, environment: { PAWL_PROVENANCE: "enforce" } })
    const { api } = server
    id = (await Flow.createProject(api, "noted", Flow.source("zero"))).id
    await Flow.liveApp(api, id, 0)
    await api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: ["low", "medium", "high"] })
    const change = await Flow.openChange(api, id, "one")
    await Flow.edit(api, change, { "src/index.js": Flow.source("one")["src/index.js"]! })
    await approved((await Flow.requestCandidate(api, change)).id)
    const back = await api.post<{ change: ChangeJson; candidate: CandidateJson }>(`/v1/projects/${id}/rollback`, {
      targetGeneration: 0,
      expectedGeneration: 1,
      reason: note
    })
    await approved(back.candidate.id)
    await Flow.liveApp(api, id, 2)
    key = /SHA256:[A-Za-z0-9+/]{43}/.exec((await pawl(["key", "show", "--data", data], {})).output)?.[0] ?? ""
    await Flow.until(
      () => verify(data, key),
      ({ code }) => code === 0
    )
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("are found good by both, with what their host serves", async () => {
    const verdict = await judged(data, key, "--live", `http://noted.apps.localhost:${server.port}`)
    expect(verdict.first.output).toMatch(/^ok {3}proj_\S+ {2}S0–S2 /)
    expect(verdictOf(verdict)).toEqual(nothing)
  })

  const altered: ReadonlyArray<[what: string, alter: (row: Record<string, unknown>) => Record<string, unknown>]> = [
    ["another note", (row) => ({ ...row, note: "not read" })],
    ["no note", ({ note: _, ...row }) => row]
  ]
  it.each(slice(altered, { quick: 1 }))("are record_mismatch to both with %s", async (_, alter) => {
    const copy = copyOf(data, (database) => {
      const rows = database.prepare("SELECT id FROM pawl_approval").all()
      expect(rows).toHaveLength(2)
      for (const row of rows)
        rewrite(database, "pawl_approval", String(row["id"]), (was) => {
          expect(was["note"]).toBe(note)
          return alter(was)
        })
    })
    expect(verdictOf(await judged(copy, key))).toEqual({ codes: [1, 1, 1], found: ["record_mismatch"], agree: true })
  })
})
