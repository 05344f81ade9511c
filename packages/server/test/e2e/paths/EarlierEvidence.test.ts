/** Evidence that counts again, on a running server: real git, builds and sandboxes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { verifier } from "../kit/Verifying.ts"

describe("Evidence of before, on a running server", () => {
  const folder = temporaryFolder()
  const beside = temporaryFolder()
  const { judged, verify } = verifier(beside.path)
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
    beside.remove()
  })

  it("counts for the same tree, then for the same declared inputs, in a sandbox that holds nothing else; it is served, and neither an audit nor an offline verification finds anything", async () => {
    const { api } = server
    const checks = [{ id: "test", command: "find . -type f | sort", inputs: ["verdict.txt", "src/**"] }]
    const source = Flow.source("one", { "pawl.json": JSON.stringify({ checks, probes: [{ path: "/", status: 200 }] }) })
    const project = await Flow.createProject(api, "again", source)
    await Flow.liveApp(api, project.id, 0)
    await api.put(`/v1/projects/${project.id}/policy`, { evidenceReuse: "inputs" })
    const candidateOf = async (name: string, files: Readonly<Record<string, string>>) => {
      const change = await Flow.openChange(api, project.id, name)
      await Flow.edit(api, change, files)
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      const rows = Object.fromEntries((await Flow.evidence(api, candidate.id)).map((row) => [row.checkId, row]))
      return { candidate, rows }
    }
    const edit = { "src/index.js": "export default { fetch: () => new Response('two') }\n" }
    const one = await candidateOf("one", edit)
    expect(await api.text(`/v1/evidence/${one.rows["test"]?.id}/output`)).toBe("./src/index.js\n./verdict.txt\n")
    const two = await candidateOf("two", edit)
    expect([two.rows["build"]?.reuses, two.rows["test"]?.reuses]).toEqual([one.rows["build"]?.id, one.rows["test"]?.id])
    await Flow.promote(api, two.candidate.id)
    const app = await Flow.liveApp(api, project.id, 1)
    expect((await api.page(app.url)).text).toBe("two")
    expect((await Flow.released(api, project.id, 1)).bundleSource).toBe("same_tree")
    const three = await candidateOf("three", { "README.md": "words\n" })
    expect(three.candidate.tree).not.toBe(two.candidate.tree)
    expect(three.rows["test"]?.reuses).toBe(one.rows["test"]?.id)
    expect(three.rows["build"]?.reuses).toBeUndefined()
    await Flow.promote(api, three.candidate.id)
    await Flow.liveApp(api, project.id, 2)
    const audit = await pawl(["audit", project.id, "--url", server.origin], { PAWL_TOKEN: token })
    expect(audit.code).toBe(0)
    const key =
      /SHA256:[A-Za-z0-9+/]{43}/.exec((await pawl(["key", "show", "--data", folder.path], {})).output)?.[0] ?? ""
    await Flow.until(
      () => verify(folder.path, key),
      ({ code, output }) => code === 0 && output.includes("S0–S2 ")
    )
    const { again, first, other } = await judged(folder.path, key)
    expect([first, again, other].map(({ code }) => code)).toEqual([0, 0, 0])
  })
})
