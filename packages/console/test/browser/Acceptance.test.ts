import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { live } from "./kit/ConsolePage.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { buildConsole, dist } from "./kit/BuiltConsole.ts"
import { provoked, signInAt } from "./kit/SignIn.ts"

const bytesBelow = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
    : statSync(path).size

describe("The package of the console", () => {
  beforeAll(buildConsole)

  it("needs nothing at run time, and takes 1 MB at most", () => {
    const facts: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(dist, "..", "package.json"), "utf8"))
    expect([facts["dependencies"], facts["peerDependencies"], facts["optionalDependencies"]]).toEqual([
      undefined,
      undefined,
      undefined
    ])
    expect(bytesBelow(dist)).toBeLessThanOrEqual(1024 * 1024)
  })
})

describe.skipIf(browserMissing !== null)(`What a page costs and bears (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  /** Of the Project's Changes; `moving` of them move while one looks. */
  const [count, moving] = [1000, 200]
  let projectId: string
  const changes: Array<string> = []

  const nodes = (page: Page) => page.evaluate<number>("document.getElementsByTagName('*').length")
  /** What of the API the page asks for from now on. */
  const askedBy = (page: Page): Array<string> => {
    const asked: Array<string> = []
    page.on("request", (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith("/v1/") || pathname === "/health") asked.push(pathname)
    })
    return asked
  }
  const open = async (path: string) => {
    const opened = await signInAt(world.browser, world.server, path)
    await opened.page.locator('main[data-settled="true"]').waitFor()
    await live(opened.page)
    return opened
  }

  beforeAll(async () => {
    projectId = (await Flow.createProject(world.server.api, "shop")).id
    await Flow.liveApp(world.server.api, projectId, 0)
    for (let at = 0; at < count; at += 20)
      changes.push(
        ...(await Promise.all(
          Array.from(
            { length: 20 },
            async (_, n) => (await Flow.openChange(world.server.api, projectId, `Change number ${at + n}`)).id
          )
        ))
      )
  })

  it("is of use after 6 questions at most, the Inbox and a list of Changes, and asks none while nothing happens", async () => {
    const { complaints, context, page } = await open("/")
    const shown = { "/": "Inbox", "/p/shop/changes": "Change number 999" }
    for (const [path, text] of Object.entries(shown)) {
      await page.goto("about:blank")
      const asked = askedBy(page)
      await page.goto(new URL(path, `http://localhost:${world.server.port}`).href)
      await page.getByRole("main").getByText(text).first().waitFor()
      await page.locator('main[data-settled="true"]').waitFor()
      // What moved within the seconds before is told again by the news, and asked for once more.
      const first = asked.filter((each, at) => asked.indexOf(each) === at)
      expect(first.length).toBeLessThanOrEqual(6)
      await live(page)
    }
    // Nothing happens: no news are left that a page which begins now would be told again.
    await Flow.until(
      () => world.server.api.get<{ items: ReadonlyArray<unknown> }>(`/v1/changes-of-state?after=${String(Date.now())}`),
      ({ items }) => items.length === 0
    )
    await page.clock.install()
    await page.reload()
    // Between the answer of the Project and the question for its Changes nothing is asked for, for a moment.
    await page.getByRole("main").getByText("Change number 999").first().waitFor()
    await page.locator('main[data-settled="true"]').waitFor()
    await live(page)
    const asked = askedBy(page)
    // Half a minute of the page's own clock: its timers run, and the stream is not silent for too long.
    await page.clock.runFor(30_000)
    expect(asked).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  it("shows 1,000 Changes of which 200 move by few nodes, and asks twice a second at most", async () => {
    const { complaints, context, page } = await open("/p/shop/changes")
    await page.getByRole("link", { name: "Change number 999" }).waitFor()
    const asked = askedBy(page)
    const begin = performance.now()
    // Side by side: they move fast, however slow the machine is.
    const moved = changes.slice(-moving)
    for (let at = 0; at < moving; at += 20)
      await Promise.all(moved.slice(at, at + 20).map((id) => world.server.api.post(`/v1/changes/${id}/cancel`)))
    await page.getByRole("row", { name: /Change number 999 .*Cancelled/ }).waitFor()
    // How often, not how fast: of a slower server the same moves take longer, and there are more questions.
    const seconds = Math.max(10, (performance.now() - begin) / 1000)
    expect(asked.length / seconds).toBeLessThanOrEqual(2)
    expect(await nodes(page)).toBeLessThanOrEqual(1500)
    expect(complaints).toEqual([])
    await context.close()
  })

  it("keeps what was entered while the server is killed, says so, and heals when it is back", async () => {
    const opened = await open("/p/shop/changes")
    const { complaints, context, page } = opened
    await page.getByRole("button", { name: "New Change" }).click()
    await page.getByLabel("Goal").fill("Typed before the server died")
    await world.server.stop("SIGKILL")
    await page.locator(".notice", { hasText: "The server does not send news" }).waitFor()
    await page.getByRole("button", { name: "Open the Change" }).click()
    await page.getByRole("dialog").getByRole("alert").waitFor()
    await world.startAgain({ PAWL_PORT: String(world.server.port) })
    await live(page)
    expect(await page.getByLabel("Goal").inputValue()).toBe("Typed before the server died")
    await page.getByRole("button", { name: "Open the Change" }).click()
    await page.getByRole("heading", { level: 1, name: "Typed before the server died" }).waitFor()
    // One that has just begun may say that it cannot work yet.
    expect(complaints.filter((each) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)|status of 503/.test(each))).toEqual([])
    await context.close()
  })

  it("is told in forced colours, at twice the size, and without motion", async () => {
    const opened = await open("/p/shop/changes")
    const { broken, complaints, context, page } = opened
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" })
    expect(await broken()).toEqual([])
    // What is only a colour is gone there: each status has its word, and each main button an edge.
    expect(await page.getByRole("row").nth(1).textContent()).toMatch(/Typed before the server died|Cancelled|Open/)
    const button = page.getByRole("button", { name: "New Change" })
    await button.focus()
    const edge = await page.evaluate<string>("getComputedStyle(document.activeElement).borderStyle")
    expect(edge).not.toBe("none")
    expect(
      await page.evaluate<number>(
        "document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 10).length"
      )
    ).toBe(0)
    await page.emulateMedia({ forcedColors: "none" })
    // 200 % of a window of 1,280 px: the page has 640.
    await page.setViewportSize({ width: 640, height: 400 })
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
    await page.getByRole("button", { name: "New Change" }).click()
    await page.getByRole("button", { name: "Open the Change" }).scrollIntoViewIfNeeded()
    expect(await broken()).toEqual([])
    provoked(opened)
    expect(complaints).toEqual([])
    await context.close()
  })
})
