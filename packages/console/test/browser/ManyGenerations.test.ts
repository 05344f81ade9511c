import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { browserMissing, launch } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { buildConsole } from "./kit/BuiltConsole.ts"
import { lengthen } from "./kit/WrittenRows.ts"
import { signedIn } from "./kit/ProjectPages.ts"

describe.skipIf(browserMissing !== null)(`Ten thousand generations (${browserMissing ?? "Chromium"})`, () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let browser: Browser

  beforeAll(async () => {
    buildConsole()
    server = await startServer({ data: folder.path })
    const { id } = await Flow.createProject(server.api, "long")
    await Flow.liveApp(server.api, id, 0)
    await server.stop()
    lengthen(folder.path, id, 10_000)
    ;[server, browser] = await Promise.all([startServer({ data: folder.path }), launch()])
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    folder.remove()
  })

  it("are one page of the list at first, few rows of the page, and any of them is one jump away", async () => {
    const opened = await signedIn(browser, server.port, "/p/long/generations")
    const { page, settled } = opened
    const asked: Array<string> = []
    page.on("request", (request) => {
      if (request.url().includes("/versions")) asked.push(new URL(request.url()).search)
    })
    await settled("Generations")
    await page.locator('[data-generation="9999"] .generation-goal').waitFor()
    // Once more where the news began after it was asked for: nobody knows what they would have told.
    expect([...new Set(asked)]).toEqual(["?before=10000&limit=100"])
    const nodes = () => page.evaluate<number>("document.getElementsByTagName('*').length")
    expect(await nodes()).toBeLessThan(1500)
    await page.keyboard.press("/")
    await page.keyboard.type("123")
    await page.keyboard.press("Enter")
    await page.locator('[data-generation="123"] a:focus').waitFor()
    await page.locator('[data-generation="123"] .generation-goal').waitFor()
    expect(asked).toContain("?before=200&limit=100")
    expect(asked.length).toBeLessThan(6)
    expect(await nodes()).toBeLessThan(1500)
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  })
})
