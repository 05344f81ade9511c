import type { BrowserContext, Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { live } from "./kit/ConsolePage.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { originOf, signInAt } from "./kit/SignIn.ts"

/** Keeps what the browser is given to show; it is shown all the same. A page is out of sight when a test says so. */
const seen = `(() => {
  const Real = Notification
  const shown = (window.shown = [])
  window.Notification = class extends Real {
    constructor(title, options) { super(title, options); shown.push({ title, body: options.body, it: this }) }
  }
  let state = "visible"
  Object.defineProperty(document, "visibilityState", { get: () => state })
  window.look = (next) => { state = next; document.dispatchEvent(new Event("visibilitychange")) }
})()`

interface Shown {
  readonly title: string
  readonly body: string
}

describe.skipIf(browserMissing !== null)(`Notifications of the Inbox (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let projectId: string

  /** Opens a Change that fails for good, without an approval: one more thing that waits. */
  const happen = async (goal: string) => {
    const change = await Flow.openChange(world.server.api, projectId, goal)
    await Flow.edit(world.server.api, change, { "verdict.txt": `bad ${goal}` })
    await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
  }
  const shownIn = (page: Page) =>
    page.evaluate<ReadonlyArray<Shown>>("window.shown.map(({ body, title }) => ({ body, title }))")
  const look = (page: Page, state: "visible" | "hidden") => page.evaluate(`window.look("${state}")`)
  const waiting = (page: Page, count: number) =>
    page.locator(".bar .count", { hasText: new RegExp(`^${count}`) }).waitFor()
  /** Which tabs hold a share of being seen, counted by the browser. */
  const seenBy = (page: Page) =>
    page.evaluate<number>(
      "navigator.locks.query().then(({ held }) => held.filter(({ name }) => name === 'pawl.looked-at').length)"
    )

  const open = async (permissions: ReadonlyArray<string>) => {
    const opened = await signInAt(world.browser, world.server, "/")
    await opened.context.addInitScript({ content: seen })
    await opened.context.grantPermissions([...permissions], { origin: originOf(world.server) })
    await opened.page.locator('main[data-settled="true"]').waitFor()
    await opened.page.reload()
    await live(opened.page)
    return opened
  }
  const another = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${originOf(world.server)}/projects`)
    await live(page)
    return page
  }

  beforeAll(async () => {
    projectId = (await Flow.createProject(world.server.api, "shop")).id
    await Flow.liveApp(world.server.api, projectId, 0)
  })

  it("come once for each thing over all tabs, only after a button asked and while no tab is seen, and lead to it", async () => {
    const { complaints, context, page } = await open(["notifications"])
    await happen("before")
    await waiting(page, 1)
    await look(page, "hidden")
    await happen("nobody asked")
    await waiting(page, 2)
    expect(await shownIn(page)).toEqual([])
    await look(page, "visible")
    await page.getByRole("button", { name: "Notify me here" }).click()
    await page.getByRole("button", { name: "Notify me here" }).waitFor({ state: "detached" })
    const second = await another(context)
    await Flow.until(
      () => seenBy(page),
      (count) => count === 2
    )
    await look(page, "hidden")
    await happen("somebody looks")
    await Promise.all([page, second].map((each) => waiting(each, 3)))
    expect([await shownIn(page), await shownIn(second)]).toEqual([[], []])
    await look(second, "hidden")
    await Flow.until(
      () => seenBy(page),
      (count) => count === 0
    )
    await happen("nobody looks")
    await Promise.all([page, second].map((each) => waiting(each, 4)))
    await Flow.until(
      () => shownIn(page),
      ({ length }) => length > 0
    )
    expect(await shownIn(page)).toEqual([{ title: "Rejected: shop", body: "nobody looks" }])
    expect(await shownIn(second)).toEqual([])
    await page.evaluate('window.shown[0].it.dispatchEvent(new Event("click"))')
    await page.getByRole("heading", { level: 1, name: "nobody looks" }).waitFor()

    // The next tab takes over with the stream: it tells what comes, and nothing again.
    await page.close()
    await happen("taken over")
    await waiting(second, 5)
    await Flow.until(
      () => shownIn(second),
      ({ length }) => length > 0
    )
    expect(await shownIn(second)).toEqual([{ title: "Rejected: shop", body: "taken over" }])

    await look(second, "visible")
    await second.goto(`${originOf(world.server)}/settings`)
    await second.getByRole("checkbox", { name: /^Notify me/ }).uncheck()
    await look(second, "hidden")
    await happen("switched off")
    await waiting(second, 6)
    expect(await shownIn(second)).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  it("are never asked for where the browser said no, and Account says so", async () => {
    const { complaints, context, page } = await open([])
    expect(await page.evaluate<string>("Notification.permission")).toBe("denied")
    expect(await page.getByRole("button", { name: "Notify me here" }).count()).toBe(0)
    await page.goto(`${originOf(world.server)}/settings`)
    await page.getByText("This browser was told not to.").waitFor()
    expect(await page.getByRole("checkbox", { name: /^Notify me/ }).isDisabled()).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })
})
