/** What is for people alone: no tool does it, and who calls one is led to a person's page. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { assistantAt } from "./Assistant.ts"

const folder = temporaryFolder()
let server: ServerProcess

beforeAll(async () => {
  server = await startServer({ data: folder.path })
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

const source = (name: string) => Flow.source(name)

describe("An assistant at /mcp", () => {
  it("has no tool that approves, promotes, rolls back, or changes Policy, members or tokens, though the token may", async () => {
    const project = await Flow.createProject(server.api, "owner", source("one"))
    const { call, client } = await assistantAt(server.origin)
    const before = await server.api.get(`/v1/projects/${project.id}`)
    const forbidden = ["roll_back", "put_policy", "set_members", "create_token"]
    for (const name of ["approve", "reject", "promote", "rollback", "set_policy"]) {
      const refused = await call(name, { project: project.id, change: "x", candidate: "x" })
      expect([name, refused]).toMatchObject([name, { isError: true, structured: { code: "for_people" } }])
    }
    for (const name of forbidden)
      await expect(call(name, { project: project.id, change: "x", candidate: "x" })).rejects.toThrow(/not found/)
    // Ids are parts of a path and never another path.
    const astray = await call("request_candidate", { change: "x/../../candidates/y/promote?" })
    expect(astray).toMatchObject({ isError: true, structured: { code: "unknown_change" } })
    expect(await server.api.get(`/v1/projects/${project.id}`)).toEqual(before)
    await client.close()
  })

  it("is refused what is for people, and told the page on which a person does it", async () => {
    const project = await Flow.createProject(server.api, "for-people", source("one"))
    const { call, client } = await assistantAt(server.origin)
    const opened = await call("open_change", { project: project.id, goal: "x", budget: 1, clientRequestId: "x" })
    const change = opened.structured.change.id
    await call("submit_files", { change, message: "x", files: { "public/x.txt": "x" } })
    const candidate = (await call("request_candidate", { change })).structured.candidate.id
    const origin = server.origin.replace("127.0.0.1", "localhost")
    for (const [name, given, page] of [
      ["approve", { change }, `/changes/${change}`],
      ["promote", { candidate }, `/changes/${change}?candidate=${candidate}`],
      ["promote", { candidateId: candidate, change }, `/changes/${change}?candidate=${candidate}`],
      ["rollback", { project: project.id, generation: 0 }, `/p/${project.label}/rollback`],
      ["set_policy", { projectId: project.id, policy: {} }, `/p/${project.label}/settings`],
      ["promote", { candidate: "cand_of-nobody" }, ""],
      ["rollback", {}, ""]
    ] as const) {
      const refused = await call(name, given)
      expect([name, refused]).toMatchObject([
        name,
        { isError: true, structured: { code: "for_people", url: `${origin}${page}`, next: expect.any(String) } }
      ])
      expect(refused.text).toContain(`${origin}${page}`)
    }
    await expect(call("demote", { candidate })).rejects.toThrow(/demote not found/)
    await client.close()
  })
})
