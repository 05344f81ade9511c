import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
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
  /** What the page asks for lists of Projects from now on, by their queries. */
  const listsOf = (page: Page): Array<string> => {
    const lists: Array<string> = []
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === "/v1/projects") lists.push(search)
    })
    return lists
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
    const lists = listsOf(page)
    await page.clock.install()
    await page.reload()
    await page.getByRole("link", { name: "third", exact: true }).first().waitFor()
    await live(page)
    // By the page's own clock: what is stale is asked for a moment later.
    await page.clock.runFor(2000)
    await page.locator('main[data-settled="true"]').waitFor()
    expect([lists.length, news.asked.at(-1)]).toEqual([new Set(lists).size, begin])
  })

  describe("on a page that is alone", () => {
    let page: Page
    let lists: Array<string>
    /** Lets the page's clock go on until it is so. */
    const runUntil = (is: () => boolean) =>
      Flow.until(async () => {
        await page.clock.runFor(500)
        return is()
      }, Boolean)
    /** What lets the clock go on until all that was asked for so far has been asked for again. */
    const askingAgain = () => {
      const shown = new Set(lists.splice(0))
      return () => runUntil(() => shown.size > 0 && Array.from(shown).every((each) => lists.includes(each)))
    }

    beforeAll(() => Flow.createProject(world.server.api, "alone"))
    beforeEach(async () => {
      for (const each of context.pages()) await each.close()
      page = await context.newPage()
      lists = listsOf(page)
      await page.clock.install()
      await page.goto(`${proxy.origin}/projects`)
      await page.getByRole("link", { name: "alone", exact: true }).first().waitFor()
      await live(page)
      await page.locator('main[data-settled="true"]').waitFor()
    })

    it("all that is shown is asked for again when its clock jumped by more than 30 seconds, for it was asleep", async () => {
      const askedAgain = askingAgain()
      await page.clock.fastForward(25_000)
      await page.clock.runFor(2000)
      expect(lists).toEqual([])
      await Flow.createProject(world.server.api, "while-asleep")
      await page.clock.fastForward(31_000)
      await askedAgain()
      await page.getByRole("link", { name: "while-asleep", exact: true }).first().waitFor()
    })

    it("nothing is asked for while nobody sees it, however seldom the browser gives it a turn, and all once it is seen again", async () => {
      const askedAgain = askingAgain()
      const become = (state: "hidden" | "visible") =>
        page.evaluate(`
          Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" })
          document.dispatchEvent(new Event("visibilitychange"))
        `)
      await become("hidden")
      for (let turn = 0; turn < 3; turn++) {
        await page.clock.fastForward(31_000)
        await page.clock.runFor(2000)
      }
      expect(lists).toEqual([])
      await become("visible")
      await askedAgain()
    })

    it("the stream is taken for gone after 40 silent seconds, and taken up from the last that was heard", async () => {
      await happen("before-silence")
      await page.getByRole("link", { name: "before-silence", exact: true }).first().waitFor()
      const [before, last] = [news.asked.length, news.last()]
      // Not yet: a server says something every 15 seconds, and the machine may be slow.
      await page.clock.runFor(30_000)
      expect(news.asked.length).toBe(before)
      await runUntil(() => news.asked.length > before)
      expect(news.asked.slice(before)).toEqual([String(last)])
      await Flow.until(
        async () => news.open(),
        (open) => open === 1
      )
    })

    it("a server that keeps the last that was heard no more is asked for a fresh stream, and for all that is shown", async () => {
      const before = news.asked.length
      // What is asked for earlier, for another reason, says nothing of this one.
      let askedAgain: (() => Promise<unknown>) | undefined
      news.forget(() => (askedAgain = askingAgain()))
      news.goAway()
      await away(page)
      // No news tell of it: it is seen for it is asked for.
      await Flow.createProject(world.server.api, "untold")
      news.comeBack()
      await runUntil(() => news.asked.length === before + 2)
      expect(news.asked.slice(before)).toEqual([begin, null])
      await askedAgain?.()
      await page.getByRole("link", { name: "untold", exact: true }).first().waitFor()
      await live(page)
    })
  })
})
