import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Audit } from "@pawl/core/model/Audit"
import type { Generation } from "@pawl/core/model/Generation"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"

describe("A rollback and an audit on a running server", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let projectId: string

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const change = async (name: string, files: Readonly<Record<string, string>>): Promise<CandidateJson> => {
    const { api } = server
    const opened = await Flow.openChange(api, projectId, name)
    await Flow.edit(api, opened, files)
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, opened)).id)
    const { generation } = await Flow.promote(api, candidate.id)
    await Flow.released(api, projectId, generation)
    return candidate
  }
  const audited = async () => (await server.api.post<{ audit: Audit }>(`/v1/projects/${projectId}/audit`)).audit
  const ask = () => pawl(["audit", projectId, "--url", server.origin], { PAWL_TOKEN: token })
  const generations = async () =>
    (await server.api.get<{ items: ReadonlyArray<Generation> }>(`/v1/projects/${projectId}/versions`)).items

  it("brings an older page back as a new generation without a build, and later Changes compose on it", async () => {
    const { api } = server
    projectId = (await Flow.createProject(api, "rolling", Flow.source("zero", { "lines.txt": "1\n2\n3\n4\n5\n" }))).id
    await Flow.liveApp(api, projectId, 0)
    await change("one", { "src/index.js": Flow.source("one")["src/index.js"]!, "lines.txt": "first\n2\n3\n4\n5\n" })
    await change("two", { "src/index.js": Flow.source("two")["src/index.js"]!, "more.txt": "two" })
    const before = await Flow.liveApp(api, projectId, 2)
    expect((await api.page(before.url)).text).toBe("two")

    const path = `/v1/projects/${projectId}/rollback`
    expect(await api.refused(path, { targetGeneration: 0, expectedGeneration: 1 })).toMatchObject({
      status: 409,
      problem: { code: "stale" }
    })
    const asked = await api.post<{ change: ChangeJson; candidate: CandidateJson }>(path, {
      targetGeneration: 1,
      expectedGeneration: 2
    })
    expect(asked.change).toMatchObject({ kind: "rollback", rollbackTarget: 1 })
    const candidate = await Flow.gated(api, asked.candidate.id)
    const [head, target] = await generations()
    expect(candidate).toMatchObject({ status: "verified", base_commit: head!.commit, tree: target!.tree })
    const promoted = await Flow.promote(api, candidate.id)
    expect(promoted).toMatchObject({ outcome: "promoted", generation: 3, sourceSynced: true })
    const release = await Flow.released(api, projectId, 3)
    expect(release).toMatchObject({ status: "deployed", tree: target!.tree })
    expect(["stored", "same_tree"]).toContain(release.bundleSource)
    const back = await Flow.liveApp(api, projectId, 3)
    expect((await api.page(back.url)).text).toBe("one")

    await change("three", { "lines.txt": "first\n2\n3\n4\nlast\n" })
    const [newest] = await generations()
    const read = (file: string) =>
      api.get<{ text: string }>(`/v1/projects/${projectId}/code?tree=${newest!.tree}&path=${file}`)
    expect((await read("lines.txt")).text).toBe("first\n2\n3\n4\nlast\n")
    expect((await read("src/index.js")).text).toBe(Flow.source("one")["src/index.js"])
  })

  it("says why a Candidate waits, with the end of what its checks said", async () => {
    const { api } = server
    const opened = await Flow.openChange(api, projectId, "bad")
    await Flow.edit(api, opened, { "verdict.txt": "bad" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, opened)).id)
    const said = await pawl(["why", candidate.id, "--url", server.origin, "--data", folder.path], {})
    expect(said.code).toBe(0)
    expect(said.output).toContain(`${candidate.id}: rejected (test: fail)`)
    expect(said.output).toContain("candidate_not_verified")
    expect(said.output).toContain("History:")
    expect(said.output).toMatch(/candidate verifying -> rejected/)
    expect(said.output).toMatch(/Next: Mend what fails \(test\)/)
  })

  it("is found to be as it was promoted, down to merges of one file, by the command too", async () => {
    const { api } = server
    const opened = await Flow.openChange(api, projectId, "both")
    const at = (files: Record<string, string | null>) =>
      api.post(`/v1/changes/${opened.id}/changesets`, { message: "m", files, baseGeneration: 4 })
    await at({ "lines.txt": "1st\n2\n3\n4\nlast\n", "public/moved.txt": "an asset\n", "public/hello.txt": null })
    await at({ "lines.txt": "first\n2\n3\n4\n5th\n" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, opened)).id)
    expect(candidate.status).toBe("verified")
    await Flow.promote(api, candidate.id)
    await Flow.released(api, projectId, 5)
    expect(await audited()).toMatchObject({ generations: 6, findings: [], notes: [] })
    const ended = await ask()
    expect(ended.output).toContain("everything is as it was promoted")
    expect(ended.code).toBe(0)
    const strangers = await pawl(["audit", projectId, "--url", server.origin], { PAWL_TOKEN: "pawl_nobody" })
    expect(strangers.code).toBe(2)
  })

  it("names what was done to the database and the repository behind its back", async () => {
    const [, newest, rollback, second, first] = await generations()
    const canon = join(folder.path, "repositories", projectId.slice(5, 7), projectId, "canon.git")
    execFileSync("git", [`--git-dir=${canon}`, "update-ref", "refs/heads/main", first!.commit])
    const database = new DatabaseSync(join(folder.path, "pawl.db"), { timeout: 10_000 })
    const rewrite = (kind: string, id: string, change: (record: Record<string, unknown>) => unknown) => {
      const row = database.prepare(`SELECT data FROM pawl_${kind} WHERE id = ?`).get(id)
      const altered = JSON.stringify(change(JSON.parse(String(row?.["data"]))))
      database.prepare(`UPDATE pawl_${kind} SET data = ? WHERE id = ?`).run(altered, id)
    }
    rewrite("generation", `${projectId}/${second!.generation}`, (row) => ({ ...row, tree: first!.tree }))
    rewrite("evidence", newest!.evidenceIds[0]!, (row) => ({ ...row, result: "fail" }))
    rewrite("change", rollback!.changeId!, (row) => ({ ...row, rollbackTarget: 0 }))
    database.close()
    const report = await audited()
    expect(report.findings.map(({ code, generation }) => `S${generation} ${code}`)).toEqual(
      expect.arrayContaining([
        "S2 commit_tree_mismatch",
        "S4 check_unsatisfied",
        "S3 rollback_tree_mismatch",
        "S5 main_mismatch"
      ])
    )
    const ended = await ask()
    expect(ended.code).toBe(1)
    expect(ended.output).toContain("main_mismatch")
  })
})
