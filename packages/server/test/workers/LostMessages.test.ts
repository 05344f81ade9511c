/** An installation whose queues lose every message: what Projects have is told all the same, a moment later. */
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import { modelChoiceOf } from "../../../../deploy/cloudflare/ModelChoice.ts"
import * as ChangeFlow from "../e2e/kit/ChangeFlow.ts"
import * as Flow from "../e2e/kit/Flow.ts"
import { done, environmentOf, script, write } from "../e2e/kit/ScriptedTeam.ts"
import { copies } from "./suites/Copies.ts"
import { news } from "./suites/News.ts"

const team = script({
  tasks: [{ key: "note", title: "The note" }],
  agents: { "The note": [write("public/note.txt", "noted\n"), done] }
})

let here: Installed
let provider: Provider.ScriptedProvider
beforeAll(async () => {
  provider = await Provider.open(team)
  const models = modelChoiceOf(environmentOf(provider))
  if (models === null || typeof models === "string") throw new Error(`no models: ${models}`)
  here = await install({ checks: null, models }, { losesMessages: true, secrets: { MODEL_KEY: ChangeFlow.modelKey } })
})
afterAll(async () => {
  await here.close()
  await provider.close()
})

copies(() => here)
news(() => here)

interface Listed {
  readonly items: ReadonlyArray<{ readonly id: string; readonly counts: { readonly openChanges: number } }>
}

describe("A Project whose agent waits for its model, which keeps its alarm at work", () => {
  it("tells what people do meanwhile", async () => {
    const { api } = here
    const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    provider.follow(async (asked) => {
      if (!asked.tools.includes("propose_plan")) {
        reached.resolve()
        await held.promise
      }
      return team(asked)
    })
    const files = { ...Flow.source("one"), "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }) }
    const project = await Flow.createProject(api, "at-work", files)
    const goal = await ChangeFlow.openGoal(api, project.id, "waits for its model")
    await reached.promise
    await Flow.openChange(api, project.id, "opened meanwhile")
    const { items } = await Flow.until(
      () => api.get<Listed>("/v1/projects?include=counts"),
      (found) => found.items.find(({ id }) => id === project.id)?.counts.openChanges === 2
    )
    expect(items.some(({ id }) => id === project.id)).toBe(true)
    expect(await ChangeFlow.tasksOf(api, goal.id)).toMatchObject([{ status: "running" }])
    held.resolve()
    await ChangeFlow.verifiedOf(api, goal.id)
  })
})
