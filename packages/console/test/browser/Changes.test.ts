import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looks } from "./kit/Looks.ts"
import type { Look } from "./kit/ConsolePage.ts"
import { tabOn } from "./kit/ProjectPages.ts"
import { signedIn, type SignedInPage } from "./kit/SignedIn.ts"

describe.skipIf(browserMissing !== null)(`Changes in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let projectId: string
  let opened: SignedInPage

  const open = async (path: string, look: Look = {}) => {
    opened = await signedIn(world.browser, world.server.port, token, path, look)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const goals = (): Promise<ReadonlyArray<string>> => opened.page.locator("main tbody [data-row]").allTextContents()

  beforeAll(async () => {
    projectId = (await Flow.createProject(world.server.api, "shop")).id
  })

  it("shows how to send a ChangeSet where there is none, and opens a Change by the keyboard", async () => {
    const { broken, page, picture, settled } = await open("/p/shop/changes")
    await settled("Changes")
    for (const way of ["Here", "Command line", "git", "curl", "An assistant (MCP)"])
      await page.getByRole("region", { name: way, exact: true }).waitFor()
    await page.getByText(`/v1/projects/${projectId}/changes`).waitFor()
    expect(await broken()).toEqual([])
    await picture("changes-none")
    // Where the token comes from that git and curl ask for.
    await page.getByRole("link", { name: "Make a token" }).click()
    await settled("Account")
    await page.getByRole("button", { name: "New token" }).waitFor()
    await page.goBack()
    await settled("Changes")
    await tabOn(page.getByRole("button", { name: "New Change" }))
    await page.keyboard.press("Enter")
    await page.keyboard.type("Say when we are open")
    await page.keyboard.press("Tab")
    await page.keyboard.type("1.234")
    await page.keyboard.press("Enter")
    await page.getByText("with at most two decimals").waitFor()
    expect(await broken()).toEqual([])
    await picture("changes-new")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("2.50")
    await page.keyboard.press("Enter")
    await settled("Say when we are open")
    expect(page.url()).toMatch(/\/changes\/chg_[\w-]+$/)
    expect(await world.server.api.get(`/v1/projects/${projectId}/changes`)).toMatchObject({
      items: [{ goal: "Say when we are open", budget_usd: 2.5, status: "created" }]
    })
    await close()
  })

  it("takes a ChangeSet by hand, and asks for its Candidate", async () => {
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ id: string }> }>(
      `/v1/projects/${projectId}/changes`
    )
    const { broken, page, picture, settled } = await open(`/changes/${items[0]!.id}`)
    await settled("Say when we are open")
    await page.getByText("Send a ChangeSet.", { exact: true }).waitFor()
    expect(await broken()).toEqual([])
    await picture("change-without")
    let letGo = () => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await page.route(/\/code$/, async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press("a")
    await page.keyboard.type("The hours")
    // The files there are, are offered; one of them is loaded by itself, also when it was named before they came.
    await page.getByLabel("File").fill("public/hello.txt")
    letGo()
    await page.locator('#canonical-files option[value="public/hello.txt"]').waitFor({ state: "attached" })
    const text = page.getByLabel("Its whole text")
    await Flow.until(
      () => text.inputValue(),
      (value) => value === "an asset\n"
    )
    await text.fill("9 to 18\n")
    await picture("change-send")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    const next = page.getByRole("region", { name: "What is next" })
    await next.getByText("Request a Candidate of its ChangeSet.").waitFor()
    // Another edit of the same file begins with what the first one made of it.
    await next.getByRole("button", { name: "Send a ChangeSet" }).click()
    await page.keyboard.type("And on Sundays")
    await page.getByLabel("File").fill("public/hello.txt")
    await Flow.until(
      () => text.inputValue(),
      (value) => value === "9 to 18\n"
    )
    await text.fill("9 to 18\nSundays too\n")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await next.getByText("Request a Candidate of its 2 ChangeSets.").waitFor()
    await page.keyboard.press("a")
    await page.getByRole("dialog").getByText("The hours").waitFor()
    await page.getByRole("button", { name: "Request", exact: true }).click()
    await next.getByText("Promote it.").waitFor()
    await next.getByText("1 file, +2 −1").waitFor()
    await close()
  })

  it("asks the server for what stands in the address, and keeps the address", async () => {
    for (let each = 0; each < 60; each++) await Flow.openChange(world.server.api, projectId, `Change number ${each}`)
    const { page, picture, settled } = await open("/p/shop/changes?status=created&q=number+3")
    await settled("Changes")
    // Of 61 Changes the server answers 50 at once without a filter: number 3 would stand on the second page.
    await page.getByText("15 Changes fit.").waitFor()
    const numbers = [53, 43, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 23, 13, 3]
    expect(await goals()).toEqual(numbers.map((each) => `Change number ${each}`))
    await page.getByLabel("Risk").selectOption("high")
    await page.getByText("No Change fits").waitFor()
    expect(new URL(page.url()).search).toBe("?status=created&q=number+3&risk=high")
    await page.getByRole("link", { name: "Show all" }).click()
    await page.getByRole("link", { name: "Change number 59" }).waitFor()
    expect(new URL(page.url()).search).toBe("")
    await page.reload()
    await page.getByRole("link", { name: "Change number 10" }).waitFor()
    expect(await goals()).toHaveLength(50)
    await page.getByRole("button", { name: "Show more" }).click()
    await page.getByRole("link", { name: "Say when we are open" }).waitFor()
    expect(await goals()).toHaveLength(61)
    await page.keyboard.press("/")
    await page.keyboard.type("open")
    await page.getByText("1 Change fits.").waitFor()
    await page.keyboard.press("Tab")
    await picture("changes-found")
    await page.reload()
    await settled("Changes")
    expect(await goals()).toEqual(["Say when we are open"])
    await close()
  })

  it.each(looks)("break no rule of WCAG 2.2 AA, $theme and $width wide", async (look) => {
    const { broken, page, picture, settled } = await open("/p/shop/changes", look)
    await settled("Changes")
    await page.getByRole("link", { name: "Change number 59" }).waitFor()
    expect(await broken()).toEqual([])
    await picture(`changes-${look.theme}-${look.width}`)
    await close()
  })

  it("fit 320 px without scrolling sideways", async () => {
    const { page, settled } = await open("/p/shop/changes", { width: 320, height: 640 })
    await settled("Changes")
    await page.getByRole("link", { name: "Change number 59" }).waitFor()
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
    await page.getByRole("button", { name: "New Change" }).click()
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
    await close()
  })
})
