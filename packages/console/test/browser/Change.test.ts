import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { browserMissing, launch } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { buildConsole } from "./kit/BuiltConsole.ts"
import type { Look } from "./kit/ConsolePage.ts"
import { signedIn, type SignedInPage } from "./kit/SignedIn.ts"

/** Touches what judges it: of high risk, so that it owes an approval. */
const judged = JSON.stringify({
  checks: [{ id: "test", title: "Ours", command: "true" }],
  probes: [{ path: "/", status: 200 }]
})

describe.skipIf(browserMissing !== null)(`A Change in a browser (${browserMissing ?? "Chromium"})`, () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let browser: Browser
  let projectId: string
  let opened: SignedInPage

  const open = async (path: string, look: Look = {}, expected?: RegExp) => {
    opened = await signedIn(browser, server.port, token, path, look, expected)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const proposed = async (goal: string, files: Readonly<Record<string, string>>) => {
    const change = await Flow.openChange(server.api, projectId, goal)
    await Flow.edit(server.api, change, files, goal)
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    return { change, candidate }
  }

  beforeAll(async () => {
    buildConsole()
    ;[server, browser] = await Promise.all([startServer({ data: folder.path }), launch()])
    projectId = (await Flow.createProject(server.api, "shop")).id
    await Flow.liveApp(server.api, projectId, 0)
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    folder.remove()
  })

  it("is approved and promoted by the keyboard, and S1 is live only after the server says so", async () => {
    const { change } = await proposed("Judge it by our own command", { "pawl.json": judged })
    const { page, picture, settled } = await open(`/changes/${change.id}`)
    await settled("Judge it by our own command")
    const next = page.getByRole("region", { name: "What is next" })
    await next.getByText("Decide on it").waitFor()
    await picture("change-owes")
    // What the page asks of the app is held back.
    let letGo = (): void => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await page.route(`**/v1/projects/${projectId}/app`, async (route) => {
      await held
      await route.continue()
    })

    await page.keyboard.press("a")
    const approving = page.getByRole("dialog", { name: "Approve this Candidate?" })
    await approving.getByText("pawl.json", { exact: true }).waitFor()
    await picture("change-approve")
    expect(await server.api.get(`/v1/changes/${change.id}/approvals`)).toMatchObject({ items: [] })
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await approving.waitFor({ state: "detached" })
    expect(await server.api.get(`/v1/changes/${change.id}/approvals`)).toMatchObject({
      items: [{ decision: "granted" }]
    })

    await next.getByText("Promote it.").waitFor()
    await picture("change-approved")
    await page.keyboard.press("a")
    const promoting = page.getByRole("dialog", { name: "Promote to S1?" })
    await promoting.waitFor()
    await picture("change-promote")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await promoting.waitFor({ state: "detached" })
    await Flow.liveApp(server.api, projectId, 1)
    await next.getByText("it is S1").waitFor()
    expect(await page.getByText("S1 is live").count()).toBe(0)
    letGo()
    await next.getByText("S1 is live").waitFor()
    await picture("change-live")
    await page.unroute(`**/v1/projects/${projectId}/app`)
    await close()
  })
})
