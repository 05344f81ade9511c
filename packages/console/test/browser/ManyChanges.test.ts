import type { CandidateJson } from "@pawl/server/api/RecordSchemas"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { signInAt } from "./kit/SignIn.ts"

/** More Changes than one page of their list has. */
const newer = 101
const atOnce = 20

describe.skipIf(browserMissing !== null)(`Behind a hundred newer Changes (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let projectId: string

  const landed = async (candidate: CandidateJson, generation: number) => {
    const { api } = world.server
    await Flow.promote(api, (await Flow.gated(api, candidate.id)).id)
    await Flow.released(api, projectId, generation)
  }

  beforeAll(async () => {
    const { api } = world.server
    projectId = (await Flow.createProject(api, "long")).id
    await Flow.liveApp(api, projectId, 0)
    const change = await Flow.openChange(api, projectId, "Say when we are open")
    await Flow.edit(api, change, { "public/hours.txt": "9 to 5\n" })
    await landed(await Flow.requestCandidate(api, change), 1)
    const body = { targetGeneration: 0, expectedGeneration: 1, reason: "The hours were wrong" }
    const { candidate } = await api.post<{ candidate: CandidateJson }>(`/v1/projects/${projectId}/rollback`, body)
    await landed(candidate, 2)
    await Flow.openChange(api, projectId, "Sell gift cards")
    const cancelled = async (n: number) => {
      const { id } = await Flow.openChange(api, projectId, `Thought better of ${n}`)
      await api.post(`/v1/changes/${id}/cancel`)
    }
    for (let at = 0; at < newer; at += atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, newer - at) }, (_, n) => cancelled(at + n)))
  })

  it("work that is open is shown, and generations by the goals and the reasons of their Changes", async () => {
    const { complaints, context, page, settled } = await signInAt(world.browser, world.server, "/p/long")
    await settled("long")
    const part = (name: string) => page.getByRole("region", { name, exact: true })
    const work = part("Open work").getByRole("listitem")
    await work.first().waitFor()
    expect(await work.allTextContents()).toEqual([expect.stringMatching(/^OpenSell gift cards/)])
    await part("Live").getByRole("link", { name: "Back to S0", exact: true }).waitFor()
    await part("Last generations").getByText("Say when we are open").waitFor()
    await page.goto(new URL("/p/long/generations", page.url()).href)
    await settled("Generations")
    const row = (n: number) => page.locator(`[data-generation="${n}"]`)
    await row(1).getByRole("link", { name: "Say when we are open" }).waitFor()
    await row(2).getByRole("link", { name: "Back to S0", exact: true }).waitFor()
    await row(2).getByText("The hours were wrong").waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})
