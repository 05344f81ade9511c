import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CommandKind, commandId } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { type Api, newProject, startApi } from "../TestApi.ts"

const kinds: ReadonlyArray<CommandKind> = ["app.provision", "canonical.sweep", "event.consume", "webhook.deliver"]

/** One dead letter of each kind, whose subject is a path: `<project>/<which>/<number>`. */
const bury = (projectId: string) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    yield* (yield* Ledger).commit({
      name: "test",
      projectId,
      commands: kinds.map((kind) => ({
        kind,
        id: commandId(kind, `${projectId}/webhook:one/7`),
        payload: {},
        maxAttempts: 1
      }))
    })
    for (const { lease } of yield* commands.claim({ worker: "test", kinds, limit: 10, leaseMs: 1000 }))
      yield* commands.fail(lease, "it broke", 0)
  })

describe("The dead letters of a Project", () => {
  let api: Api
  let projectId: string
  beforeAll(async () => {
    api = await startApi()
    projectId = (await newProject(api, "buried")).id
  })
  afterAll(() => api.close())

  const listed = async (): Promise<ReadonlyArray<{ readonly id: string; readonly kind: string }>> =>
    (await api.call("GET", `/v1/projects/${projectId}/dead-letters`)).body.items

  it.each(["retry", "dismiss"])("have ids that can be pasted into the path of %s as they are", async (what) => {
    await api.run(bury(projectId))
    const letters = await listed()
    expect(letters.map((letter) => letter.kind).toSorted()).toEqual(kinds)
    for (const { id } of letters)
      expect(await api.call("POST", `/v1/dead-letters/${id}/${what}`)).toMatchObject({
        status: 200,
        body: { deadLetter: { id } }
      })
    expect(await listed()).toEqual([])
  })
})
