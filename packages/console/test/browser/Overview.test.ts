import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import type { ConsolePage } from "./kit/ConsolePage.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { signedIn, tabTo, widthOf } from "./kit/ProjectPages.ts"
import { picture } from "./kit/SignIn.ts"
import { giveUp } from "./kit/WrittenRows.ts"

/** Prints as many lines as it is asked for, and warns of one. */
const printing = `export default {
  fetch(request) {
    const { searchParams } = new URL(request.url)
    const lines = Number(searchParams.get("lines") ?? 0)
    for (let n = 1; n <= lines; n++) console.log("line " + n)
    if (lines > 0) console.error("cart is lost")
    return new Response("ok")
  }
}
`

describe.skipIf(browserMissing !== null)(`A Project at a glance (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let project: { readonly id: string; readonly label: string }
  let app: Flow.App
  let opened: ConsolePage

  const open = async (path: string, options: Parameters<typeof signedIn>[3] = {}) => {
    opened = await signedIn(world.browser, world.server.port, path, options)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }

  beforeAll(async () => {
    const long = Array.from({ length: 4000 }, (_, n) => `line ${n + 1} of a long file\n`).join("")
    const files = Flow.source("", { "src/index.js": printing, "docs/long.txt": long, "docs/deep/down.txt": "here\n" })
    project = await Flow.createProject(world.server.api, "glance", files)
    await Flow.liveApp(world.server.api, project.id, 0)
    await Flow.openChange(world.server.api, project.id, "Sell gift cards")
    await world.server.stop()
    giveUp(world.folder, project.id, ["agent.wake", "webhook.deliver"])
    await world.startAgain()
    app = await Flow.liveApp(world.server.api, project.id, 0)
  })

  it("without a source is given one by the keyboard, and is live after that", async () => {
    await world.server.api.post("/v1/projects", { slug: "empty" })
    const { page, settled } = await open("/p/empty")
    await settled("empty")
    await page.getByText("This Project has no source yet").waitFor()
    await picture(opened, "overview-seed")
    await tabTo(page, "select", "")
    await page.keyboard.press("b")
    await tabTo(page, "button", "Make it S0")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Live" }).getByText("Live", { exact: true }).nth(1).waitFor()
    await page.getByRole("region", { name: "Last generations" }).getByRole("link", { name: "S0" }).waitFor()
    await close()
  })

  it("tells what is live and since when, what waits and what comes next, the lane, and what it costs", async () => {
    const { page, settled } = await open("/p/glance")
    await settled("glance")
    const part = (name: string) => page.getByRole("region", { name, exact: true })
    expect(await part("Live").textContent()).toMatch(/S0.*The first source.*just now|min ago/)
    await part("Live").getByText("the first deployment").waitFor()
    await part("Live").getByText("not probed").waitFor()
    await part("Live")
      .getByRole("link", { name: /^glance\.apps\.localhost/ })
      .waitFor()
    const work = part("Open work").getByRole("listitem")
    expect(await work.allTextContents()).toEqual([
      expect.stringMatching(/^OpenSell gift cardsSend a ChangeSet, or let agents plan it\./)
    ])
    await part("Lane").getByText("Nobody waits to land.").waitFor()
    await part("Cost").getByText("$0.00").waitFor()
    await page.keyboard.press("j")
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Sell gift cards")
    await close()
  })

  it("keeps what stands there in its place while answers come, in whatever order", async () => {
    const { page, settled } = await open("/p/glance")
    await settled("glance")
    const changes = Promise.withResolvers<void>()
    await page.route(/\/changes(\?|$)/, async (route) => {
      await changes.promise
      await route.continue()
    })
    await page.addInitScript({
      content: `window.shifted = 0
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifted += value })
          .observe({ type: "layout-shift", buffered: true })`
    })
    await page.reload()
    await page.getByRole("button", { name: "Release the head again" }).waitFor()
    changes.resolve()
    await page.getByRole("main").getByRole("link", { name: "Sell gift cards" }).waitFor()
    await settled("glance")
    await page.getByRole("link", { name: "All generations" }).waitFor()
    // Of the window: how much of it moved, times how far.
    expect(await page.evaluate<number>("window.shifted")).toBeLessThanOrEqual(0.005)
    await close()
  })

  it("has its files: folders, a file with its lines and a link to each, and what is too long by its raw link", async () => {
    const { page, settled } = await open("/p/glance/code")
    await settled("Code")
    const rows = () => page.locator(".folder li a").allTextContents()
    expect((await rows()).slice(0, 3)).toEqual(["docs/", "public/", "src/"])
    await page.getByRole("link", { name: "src/", exact: true }).click()
    await page.getByRole("link", { name: "index.js", exact: true }).click()
    await page.getByRole("link", { name: "Line 2", exact: true }).click()
    const line = page.locator('.lines li[aria-current="true"]')
    expect(await line.textContent()).toBe("2  fetch(request) {")
    const address = page.url()
    expect(address).toMatch(/path=src%2Findex\.js#L2$/)
    await picture(opened, "code-file")
    await page.goto("about:blank")
    await page.goto(address)
    await line.waitFor()
    await page.getByRole("link", { name: "All files" }).click()
    await page.getByLabel("Find a file").waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("long")
    expect(await rows()).toEqual(["docs/long.txt"])
    await page.getByRole("link", { name: "docs/long.txt" }).click()
    await page.getByText("Too long to be shown").waitFor()
    const raw = await page.getByRole("link", { name: /^Raw/ }).getAttribute("href")
    const answer = await page.evaluate<{ size: number }>(`fetch(${JSON.stringify(raw)}).then((each) => each.json())`)
    expect(answer.size).toBeGreaterThan(64 * 1024)
    await close()
  })

  it("has its files edited: a Change begins with the one that was looked at, and its text is there to be changed", async () => {
    const { broken, page, settled } = await open("/p/glance/code?path=docs/deep/down.txt")
    await settled("Code")
    await tabTo(page, "a", "Edit")
    await page.keyboard.press("Enter")
    await settled("Changes")
    await page.getByRole("dialog", { name: "New Change" }).getByText("Then you edit docs/deep/down.txt.").waitFor()
    expect(await broken()).toEqual([])
    await picture(opened, "code-edit")
    await page.keyboard.type("Say more down there")
    await tabTo(page, "button", "Open the Change")
    await page.keyboard.press("Enter")
    await settled("Say more down there")
    const sending = page.getByRole("dialog", { name: "Send a ChangeSet" })
    expect(await sending.getByLabel("File").inputValue()).toBe("docs/deep/down.txt")
    const text = sending.getByLabel("Its whole text")
    await Flow.until(
      () => text.inputValue(),
      (value) => value === "here\n"
    )
    expect(new URL(page.url()).search).toBe("")
    await page.keyboard.type("More words")
    await text.fill("here and there\n")
    await page.keyboard.press("Tab")
    await sending.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("Request a Candidate of its ChangeSet.").waitFor()
    // What is no text of canonical is not edited here.
    await page.goto(`http://localhost:${world.server.port}/p/glance/code?path=docs/long.txt`)
    await page.getByText("Too long to be shown").waitFor()
    await settled("Code")
    expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0)
    await close()
  })

  it("has its lines as they are printed, finds words and levels, holds still when one scrolls up, and goes on", async () => {
    const { page } = await open("/p/glance/logs")
    await page.getByText("The app has printed nothing").waitFor()
    await world.server.api.page(`${app.url}?lines=60`)
    await page.getByText("line 60", { exact: true }).waitFor()
    const lines = page.locator(".log-line")
    const list = page.getByRole("list", { name: "Lines" })
    await page.getByLabel("Level").selectOption("error")
    expect(await lines.allTextContents()).toEqual([expect.stringMatching(/errorcart is lost$/)])
    await page.getByLabel("Level").selectOption("")
    await page.keyboard.press("Escape")
    await page.getByLabel("With the words").fill("LINE 6")
    expect((await lines.allTextContents()).map((each) => each.replace(/^.*log/, ""))).toEqual(["line 6", "line 60"])
    await page.getByLabel("With the words").fill("nothing like this")
    await page.getByText("No line fits").waitFor()
    await page.getByRole("button", { name: "Show all" }).click()
    await list.hover()
    await page.mouse.wheel(0, -10_000)
    await page.getByText("Held still. Nothing newer yet.").waitFor()
    await world.server.api.page(`${app.url}?lines=1`)
    await page.getByText("Held still. 2 newer.").waitFor()
    expect(await lines.count()).toBe(61)
    await picture(opened, "logs-held")
    await page.getByRole("button", { name: "Follow again" }).click()
    await page.locator(".log-line").nth(62).waitFor()
    await close()
  })

  it("has its dead letters, which are tried again, or forgotten once it is said what that means", async () => {
    const { page, settled } = await open("/p/glance/dead-letters")
    await settled("Dead letters")
    const letters = page.locator(".letter")
    expect(await letters.count()).toBe(2)
    await picture(opened, "dead-letters")
    await tabTo(page, "button", "Dismiss")
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: "Dismiss agent.wake?" })
    await dialog.getByText("Its Task stays blocked").waitFor()
    await picture(opened, "dead-letter-dismiss")
    await page.keyboard.press("Escape")
    expect(await letters.count()).toBe(2)
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Dismiss" }).click()
    await page.getByRole("heading", { name: "agent.wake", exact: true }).waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Retry" }).click()
    await page.getByText("There are no dead letters").waitFor()
    await close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA, $theme and $width wide", async (look) => {
    const { broken, page, settled } = await open("/p/glance", { look })
    for (const [path, heading] of [
      ["", "glance"],
      ["/code", "Code"],
      ["/code?path=src/index.js", "Code"],
      ["/logs", "Logs"],
      ["/dead-letters", "Dead letters"]
    ] as const) {
      await page.goto(`http://localhost:${world.server.port}/p/glance${path}`)
      await settled(heading)
      if (path === "/logs") await page.locator(".log-line").first().waitFor()
      expect(await broken()).toEqual([])
      expect(await widthOf(opened)).toBeLessThanOrEqual(look.width)
      const tab = await page
        .getByRole("navigation", { name: "Project glance" })
        .locator('[aria-current="page"]')
        .boundingBox()
      expect(tab!.x + tab!.width).toBeLessThanOrEqual(look.width)
      await picture(opened, `${heading}${path.includes("path") ? "-file" : ""}-${look.theme}-${look.width}`)
    }
    await close()
  })

  it("says that its app was removed, and later that it is archived", async () => {
    await world.server.api.delete(`/v1/projects/${project.id}/app`)
    const { page, settled } = await open("/p/glance")
    await settled("glance")
    await page.getByText("The app was removed").waitFor()
    await picture(opened, "overview-removed")
    await world.server.api.delete(`/v1/projects/${project.id}`)
    await page.reload()
    await page.getByText("This Project is archived, for good.").waitFor()
    await settled("glance")
    expect(await page.getByRole("region", { name: "Live", exact: true }).count()).toBe(0)
    await page.getByRole("link", { name: "Code" }).click()
    await page.getByText("The Project is archived; its source is gone.").waitFor()
    await close()
  })
})
