import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type UserCommand, userCommand } from "../kit/UserCommand.ts"

const home = temporaryFolder()
const data = temporaryFolder()
let server: ServerProcess
let user: UserCommand

beforeAll(async () => {
  server = await startServer({ data: data.path })
  user = userCommand(home.path)
})
afterAll(async () => {
  await server.stop()
  home.remove()
  data.remove()
})

/** The document of a verb that must end with a code. */
const document = async (project: string, args: ReadonlyArray<string>, code: number) => {
  const environment = { PAWL_URL: server.origin, PAWL_TOKEN: token, PAWL_PROJECT: project }
  const ended = await user.run([...args, "--json"], { environment })
  expect({ args, ...ended }).toMatchObject({ code })
  return JSON.parse(ended.stdout)
}

describe("What waits for a release", () => {
  const waiting = ["--yes", "--wait", "--timeout", "120"]

  it("ends with 1 when its smoke test fails, by a promotion and by a rollback, and leads to why", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "broken")
    await api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [] })
    await Flow.liveApp(api, id, 0)
    const change = await Flow.openChange(api, id, "broken")
    await Flow.edit(api, change, { "src/index.js": "export default { fetch() { throw new Error('no') } }" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    const broken = await document(id, ["promote", change.id, ...waiting], 1)
    expect(broken).toMatchObject({ generation: 1, release: { status: "smoke_failed", probes: [{ result: "fail" }] } })
    expect(broken.next.map(({ command }: { readonly command: string }) => command)).toEqual([
      "pawl logs",
      `pawl why ${candidate.id}`,
      "pawl rollback"
    ])
    expect(await document(id, ["rollback", ...waiting], 0)).toMatchObject({
      generation: 2,
      release: { status: "deployed" }
    })
    expect(await document(id, ["rollback", "--to", "S1", ...waiting], 1)).toMatchObject({
      generation: 3,
      release: { status: "smoke_failed" }
    })
  })
})

describe("The status of a Project", () => {
  it("names a Change that is open, however many newer ones are over", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "long-open")
    const open = await Flow.openChange(api, id, "open")
    for (let at = 0; at <= 100; at++) {
      const { id: over } = await Flow.openChange(api, id, `over-${at}`)
      await api.post(`/v1/changes/${over}/cancel`)
    }
    const { changes, hasMoreChanges } = await document(id, ["status"], 0)
    expect([changes.map((each: { readonly id: string }) => each.id), hasMoreChanges]).toEqual([[open.id], false])
  })
})
