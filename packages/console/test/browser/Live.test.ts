import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { live } from "./kit/ConsolePage.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { newsStream } from "./kit/NewsStream.ts"
import { type NewsProxy, newsProxy } from "./kit/NewsProxy.ts"

describe.skipIf(browserMissing !== null)(`News in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  const news = newsStream()
  let proxy: NewsProxy
  let context: BrowserContext
  const tabs: Array<Page> = []
  /** The news begin where the page began: when the server said who is there, in ms. */
  const begin = expect.stringMatching(/^\d{13}$/)

  const away = (page: Page) => page.locator(".connection:is([data-state=reconnecting], [data-state=stale])").waitFor()
  const openTab = async (): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${proxy.origin}/projects`)
    tabs.push(page)
    return page
  }
  /** Makes a Project behind the page's back, and tells of it. */
  const happen = async (slug: string) => {
    const { id } = await Flow.createProject(world.server.api, slug)
    news.send({ projectId: id, kind: "project", id })
  }
  const allShow = (name: string) =>
    Promise.all(tabs.map((page) => page.getByRole("link", { name, exact: true }).first().waitFor()))

  beforeAll(async () => {
    proxy = await newsProxy(world.server.port, news.answer)
    context = await world.browser.newContext()
    context.setDefaultTimeout(60_000)
    const page = await openTab()
    await page.getByLabel("API token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor()
  })
  afterAll(() => proxy.close())

  it("come to all of ten tabs by one stream, and are shown without a reload", async () => {
    // Over HTTP/1.1 a browser has six connections: were each tab to hold one, the seventh would wait for ever.
    for (let tab = 2; tab <= 10; tab++) await openTab()
    await Promise.all(tabs.map(live))
    await happen("first")
    await allShow("first")
    expect([news.open(), news.asked]).toEqual([1, [begin]])
  })

  it("go on in another tab when the one that holds the stream is closed, from the last that was heard", async () => {
    await tabs.shift()?.close()
    await Flow.until(
      async () => news.asked.length,
      (times) => times === 2
    )
    await happen("second")
    await allShow("second")
    expect([news.open(), news.asked]).toEqual([1, [begin, "1"]])
  })

  it("are taken up again after the server was away, which the pages say meanwhile", async () => {
    news.goAway()
    await Promise.all(tabs.map(away))
    news.comeBack()
    await Promise.all(tabs.map(live))
    await happen("third")
    await allShow("third")
    expect(news.asked).toEqual([begin, "1", "2"])
  })

  it("are no reason to ask for anything again when they begin, for they begin where the page did", async () => {
    const [page, ...others] = tabs.splice(0)
    if (page === undefined) throw new Error("no tab is left")
    await Promise.all(others.map((other) => other.close()))
    const lists: Array<string> = []
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === "/v1/projects") lists.push(search)
    })
    await page.clock.install()
    await page.reload()
    await page.getByRole("link", { name: "third", exact: true }).first().waitFor()
    await live(page)
    // By the page's own clock: what is stale is asked for a moment later.
    await page.clock.runFor(2000)
    await page.locator('main[data-settled="true"]').waitFor()
    expect([lists.length, news.asked.at(-1)]).toEqual([new Set(lists).size, begin])
  })
})
