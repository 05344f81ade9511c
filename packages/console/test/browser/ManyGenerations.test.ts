import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { lengthen } from "./kit/WrittenRows.ts"
import { signedIn } from "./kit/ProjectPages.ts"

describe.skipIf(browserMissing !== null)(`Ten thousand generations (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()

  beforeAll(async () => {
    const { id } = await Flow.createProject(world.server.api, "long")
    await Flow.liveApp(world.server.api, id, 0)
    await world.server.stop()
    lengthen(world.folder, id, 10_000)
    await world.startAgain()
  })

  it("are one page of the list at first, few rows of the page, and any of them is one jump away", async () => {
    const opened = await signedIn(world.browser, world.server.port, "/p/long/generations")
    const { page, settled } = opened
    const asked: Array<string> = []
    page.on("request", (request) => {
      if (request.url().includes("/versions")) asked.push(new URL(request.url()).search)
    })
    await settled("Generations")
    await page.locator('[data-generation="9999"] .generation-goal').waitFor()
    // Once more where something moved within the seconds before: the news tell of it again.
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
