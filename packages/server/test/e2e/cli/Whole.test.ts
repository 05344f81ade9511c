import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type Doing, type UserCommand, userCommand } from "../kit/UserCommand.ts"

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

const run = (project: string, args: ReadonlyArray<string>, doing: Doing = {}) =>
  user.run(args, { ...doing, environment: { PAWL_URL: server.origin, PAWL_TOKEN: token, PAWL_PROJECT: project } })

/** The document of a verb that must end with a code. */
const document = async (project: string, args: ReadonlyArray<string>, code = 0) => {
  const ended = await run(project, [...args, "--json"])
  expect({ args, ...ended }).toMatchObject({ code })
  return JSON.parse(ended.stdout)
}

describe("Why", () => {
  it("shows the newest step of a history of more than a page", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "long-history", { "notes.txt": "one\n" })
    const change = await Flow.openChange(api, id, "edited often")
    await Flow.edit(api, change, { "notes.txt": "first\n" })
    await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    for (let at = 1; at < 100; at++) await Flow.edit(api, change, { "notes.txt": `${at}\n` })
    const newest = await api.get<{ items: ReadonlyArray<unknown> }>(
      `/v1/changes/${change.id}/history?order=newest&limit=1`
    )
    const { hasMoreHistory, history } = await document(id, ["why", change.id])
    expect([history.length > 100, history.at(-1), hasMoreHistory]).toEqual([true, newest.items[0], false])
    expect(history[0]).toMatchObject({ id: change.id, from: null })
  })
})
