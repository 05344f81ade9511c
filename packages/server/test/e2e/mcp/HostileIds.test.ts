/** Ids that a model was talked into, with a token that may do everything: they lead nowhere. */
import { makeToolApi } from "@pawl/server/mcp/ToolApi"
import type { Tool } from "@pawl/server/mcp/Tool"
import { tools } from "@pawl/server/mcp/Tools"
import { taskTools } from "@pawl/server/mcp/tools/TaskTools"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

/** What each tool is given where an id stands. */
const given = (id: string): Readonly<Record<string, ReadonlyArray<object>>> => ({
  list_projects: [{ cursor: id }],
  get_project: [{ project: id }],
  list_changes: [{ project: id, createdBy: id, cursor: id }],
  get_change: [{ change: id }],
  read_code: [{ project: id, tree: id, path: id }],
  read_diff: [{ candidate: id }, { changeset: id }],
  read_evidence: [{ candidate: id, check: id }],
  why: [{ candidate: id }],
  list_generations: [{ project: id, cursor: id }],
  app_logs: [{ project: id, channel: id }],
  wait: [
    { candidate: id, seconds: 1 },
    { change: id, seconds: 1 }
  ],
  open_change: [{ project: id, goal: "x", budget: 1, clientRequestId: "x" }],
  submit_files: [{ change: id, message: "x", files: { "x.txt": "x" } }],
  request_candidate: [{ change: id, retry: true }],
  request_review: [{ change: id }]
})

/** Those of a Task take their ids from the server: here it lies. */
const givenOfTask: Readonly<Record<string, object>> = {
  task_read: {},
  why: {},
  app_logs: {},
  change_status: {},
  claim_paths: { paths: ["x"] },
  checks_run: {},
  task_publish: { message: "x" },
  task_give_up: { reason: "x" }
}

/** A part of a path that is none of those that lead elsewhere. */
const part = "(?!\\.{1,2}/)[^/]+"
const allowed = new RegExp(
  `^(GET /v1/(projects(/${part}(/(app|app/logs|changes|code|versions))?)?|changes/${part}(/(tasks|candidates))?` +
    `|(candidates|changesets)/${part}/diff|candidates/${part}(/(why|evidence))?|runs/${part}/(brief|checks))` +
    `|POST /v1/(projects/${part}/changes|changes/${part}/(changesets|candidates)` +
    `|runs/${part}/(claims|checks|publish|give-up)))$`
)

describe("A hostile id", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server?.stop()
    folder.remove()
  })

  const called = async (
    tool: Tool,
    input: object
  ): Promise<{ readonly asked: Array<string>; readonly isRefused: boolean }> => {
    const asked: Array<string> = []
    const api = makeToolApi({
      baseUrl: server.origin,
      authorization: `Bearer ${token}`,
      ask: (question) => {
        asked.push(`${question.method} ${new URL(question.url).pathname}`)
        return fetch(question)
      }
    })
    const context = { api, origin: server.origin, fenced: (of: string, text: string) => `<${of}>${text}</>` }
    const answer = await Effect.runPromise(Effect.result(tool.call(input, context)))
    return { asked, isRefused: Result.isFailure(answer) }
  }

  it("makes no tool ask for another path, approve, promote or write, though the token may", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "owing")
    await api.put(`/v1/projects/${project.id}/policy`, {
      approvalRiskTiers: ["low", "medium", "high"],
      autoPromoteRiskTiers: []
    })
    const change = await Flow.openChange(api, project.id, "Say when we are open")
    await Flow.edit(api, change, { "public/hours.txt": "9 to 18\n" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    const state = () =>
      Promise.all(
        [
          `/v1/projects/${project.id}`,
          `/v1/projects/${project.id}/changes`,
          `/v1/changes/${change.id}/approvals`,
          `/v1/changes/${change.id}/changesets`,
          `/v1/changes/${change.id}/candidates`,
          `/v1/candidates/${candidate.id}/why`
        ].map((path) => api.get<unknown>(path))
      )
    const before = await state()
    expect(before[5]).toMatchObject({ candidate: { status: "verified" }, approval: { owed: true, decision: null } })

    const promote = `candidates/${candidate.id}/promote`
    const ids = [
      "",
      ".",
      "..",
      "%2e",
      "%2e%2e",
      "../..",
      `../${promote}?`,
      `x/../../${promote}?`,
      `x%2f..%2f..%2f${promote.replaceAll("/", "%2f")}%3f`,
      `x\\..\\..\\${promote}?`,
      `${candidate.id}/promote`,
      `${candidate.id}/promote?`,
      `${candidate.id}/promote#`,
      `${change.id}/approve?`,
      `//127.0.0.1/v1/${promote}?`,
      `\n/../../${promote}`
    ]
    expect(Object.keys(given("")).toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
    for (const id of ids) {
      for (const tool of tools)
        for (const input of given(id)[tool.name] ?? []) {
          const { asked, isRefused } = await called(tool, input)
          expect([id, tool.name, asked.filter((each) => !allowed.test(each))]).toEqual([id, tool.name, []])
          if (!tool.reads) expect([id, tool.name, isRefused]).toEqual([id, tool.name, true])
        }
      for (const tool of taskTools({ taskId: id, runId: id, changeId: id, projectId: id })) {
        const { asked, isRefused } = await called(tool, givenOfTask[tool.name] ?? {})
        expect([id, tool.name, asked.filter((each) => !allowed.test(each)), isRefused]).toEqual([
          id,
          tool.name,
          [],
          true
        ])
      }
    }
    expect(await state()).toEqual(before)
  })
})
