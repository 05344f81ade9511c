import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { says } from "@pawl/testing/provider/Script"
import { pawl } from "../kit/Command.ts"
import * as ChangeFlow from "../kit/ChangeFlow.ts"
import * as Flow from "../kit/Flow.ts"
import { environmentOf } from "../kit/ScriptedTeam.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

describe("A server without a model", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("leaves Changes to people, and refuses to plan one", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "by-hand")
    const path = `/v1/projects/${project.id}/changes`
    const asked = { clientRequestId: "r", goal: "g", budget_usd: 1, startPlanning: true }
    expect(await api.refused(path, asked)).toMatchObject({ status: 409, problem: { code: "planning_unavailable" } })
    const change = await ChangeFlow.openGoal(api, project.id, "by a person")
    await Flow.edit(api, change, { "public/note.txt": "by hand" })
    expect(await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)).toMatchObject({ status: "verified" })
  })
})

describe("The command, about models", () => {
  it("tells that there is none, and that Changes wait for people", async () => {
    const { output } = await pawl(["doctor"], {})
    expect(output).toMatch(/ok +Language models +none: Changes wait for people/)
  })

  it("tells which models serve the tiers, whether somebody answers there, and nobody the key", async () => {
    const provider = await Provider.open(() => says("hello"))
    const { output } = await pawl(["doctor"], environmentOf(provider))
    await provider.close()
    expect(output).toContain(`openai-chat at ${provider.url} with a key: fast small, balanced medium, strong large`)
    expect(output).not.toContain("nobody answers")
    const gone = await pawl(["doctor"], environmentOf(provider))
    expect(gone.output).toMatch(/weak +Language models.*nobody answers there/)
    expect(output + gone.output).not.toContain(ChangeFlow.modelKey)
  })

  it("refuses to serve with a key that has no prices: in words, with 2, and without the key", async () => {
    const { code, output } = await pawl(["serve"], { PAWL_MODEL_KEY: ChangeFlow.modelKey, PAWL_PORT: "0" })
    expect(code).toBe(2)
    expect(output).toContain("PAWL_MODEL_PRICES")
    expect(output).not.toContain(ChangeFlow.modelKey)
    const doctor = await pawl(["doctor"], { PAWL_MODEL_KEY: ChangeFlow.modelKey })
    expect(doctor.output).toMatch(/MISSING +Options +modelPrices/)
  })
})
