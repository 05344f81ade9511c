import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looks } from "./kit/Looks.ts"
import { openSignedIn } from "./kit/ChangePage.ts"
import { tabOn } from "./kit/ProjectPages.ts"

const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, line) => `${word} number ${line + 1} of many, as long as lines are`).join("\n") +
  "\n"

const before = {
  "public/menu.txt": "Soup of the day, 4 pounds\nBread, 1 pound\nTea, 2 pounds\nCoffee, 3 pounds\n",
  "src/prices.js": Array.from({ length: 12 }, (_, at) => `export const price${at} = ${at}`).join("\n") + "\n",
  "docs/old.md": "# What nobody reads\n"
}

const after = {
  "public/menu.txt": "Soup of the day, 5 pounds\nBread, 1 pound\nGreen tea, 2 pounds\nCoffee, 3 pounds",
  "src/prices.js": before["src/prices.js"].replace("price9 = 9", "price9 = 90").replace("price0 = 0\n", "price0 = 1\n"),
  "docs/old.md": null,
  "public/logo.bin": { base64: Buffer.from([0, 1, 2, 3, 255, 0]).toString("base64") },
  "public/long.txt": lines(1500, "A line")
}

describe.skipIf(browserMissing !== null)(`The diff of a Candidate (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let path: string
  let large: string
  let fresh: string
  let edited: string

  const candidateOf = async (projectId: string, goal: string, files: Readonly<Record<string, unknown>>) => {
    const change = await Flow.openChange(world.server.api, projectId, goal)
    await Flow.edit(world.server.api, change, files)
    await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    return `/changes/${change.id}/diff`
  }

  beforeAll(async () => {
    const project = await Flow.createProject(world.server.api, "shop", Flow.source("one", before))
    await Flow.liveApp(world.server.api, project.id, 0)
    path = await candidateOf(project.id, "Raise the prices", after)
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [
        `data/${Math.floor(at / 20)}/file-${at}.txt`,
        lines(25, `File ${at} line`)
      ])
    )
    large = await candidateOf(project.id, "Add all of the data", many)
    const two = await Flow.openChange(world.server.api, project.id, "Say it in two steps")
    await Flow.edit(world.server.api, two, { "public/menu.txt": "Soup of the day, 6 pounds\n" }, "Only soup")
    await Flow.edit(world.server.api, two, { "public/menu.txt": "Soup of the day, 7 pounds\n" }, "Dear soup")
    edited = `/changes/${two.id}`
    fresh = `/changes/${(await Flow.openChange(world.server.api, project.id, "Nothing yet")).id}/diff`
  })

  it("names its base, and shows files with the words that are others, what is binary, and what is long when asked", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, path)
    await shows("5 files")
    await page.getByText("Against S0").waitFor()
    const menu = page.getByRole("region", { name: "public/menu.txt" })
    await menu.locator("del b", { hasText: "4" }).waitFor()
    expect(await menu.locator("del.diff-line").allTextContents()).toEqual([
      "Soup of the day, 4 pounds\n",
      "Tea, 2 pounds\n",
      "Coffee, 3 pounds\n"
    ])
    expect(await menu.locator("ins.diff-line b").allTextContents()).toEqual(["5", "Green tea"])
    await menu.getByText("(no newline at the end)").waitFor()
    await page.getByRole("region", { name: "docs/old.md" }).getByText("Deleted").waitFor()
    const binary = page.getByRole("region", { name: "public/logo.bin" })
    await binary.getByText("A binary file").waitFor()
    const raw = await binary.getByRole("link", { name: "Raw file" }).getAttribute("href")
    expect(await page.evaluate<string>(`fetch(${JSON.stringify(raw)}).then((answer) => answer.json())`)).toMatchObject({
      path: "public/logo.bin",
      size: 6
    })
    const long = page.getByRole("region", { name: "public/long.txt" })
    expect(await long.locator("ins.diff-line").count()).toBe(0)
    await long.getByRole("button", { name: "Show them here" }).click()
    await long.getByText("A line number 1500 of many").waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it("is walked by the keyboard: to a file, its mark as viewed, which stays, and the two layouts", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, path)
    await shows("5 files")
    await page.keyboard.press("e")
    await page.waitForURL("**/evidence")
    await page.keyboard.press("d")
    await page.waitForURL("**/diff")
    await shows("5 files")
    await page.keyboard.press("/")
    await page.keyboard.type("menu")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.waitForURL("**#file-*")
    await tabOn(page.getByRole("region", { name: "public/menu.txt" }).getByRole("checkbox"))
    await page.keyboard.press("Space")
    await page.getByText("1 viewed").waitFor()
    await tabOn(page.getByRole("radio", { name: "Unified" }), "Shift+Tab")
    await page.keyboard.press("ArrowRight")
    await page.locator('[data-layout="split"]').first().waitFor()
    const prices = page.getByRole("region", { name: "src/prices.js" })
    expect(await prices.locator(".diff-pair").nth(0).allTextContents()).toEqual([
      "export const price0 = 0\nexport const price0 = 1\n"
    ])
    await page.reload()
    await shows("1 viewed")
    expect(await page.getByRole("radio", { name: "Split" }).isChecked()).toBe(true)
    expect(await page.getByRole("region", { name: "public/menu.txt" }).locator("del.diff-line").count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it("has all 10,000 lines of 400 files on the page, so that the browser's search finds the last", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, large)
    await shows("400 files")
    await page.locator('[data-whole="true"]').waitFor()
    expect(await page.locator("ins.diff-line").count()).toBe(10_000)
    expect(await page.evaluate<boolean>('window.find("File 399 line number 25 of many")')).toBe(true)
    // What is far below costs nothing until somebody goes there.
    expect(
      await page.evaluate<string>("getComputedStyle(document.querySelector('.diff-file:last-child')).contentVisibility")
    ).toBe("auto")
    expect(complaints).toEqual([])
    await context.close()
  })

  it("says what to do where there is no Candidate", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, fresh)
    await shows("There is no diff yet")
    await page.getByText("Send one, and ask for a Candidate.").waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it("is there of each ChangeSet before any Candidate is made, from where it is listed", async () => {
    const { broken, complaints, context, page, picture, shows, tooWide } = await openSignedIn(
      world.browser,
      world.server,
      edited
    )
    await page.getByRole("region", { name: "ChangeSets" }).getByRole("link", { name: "Only soup" }).click()
    await shows("1 file")
    const menu = page.getByRole("region", { name: "public/menu.txt" })
    expect(await menu.locator("ins.diff-line").allTextContents()).toEqual(["Soup of the day, 6 pounds\n"])
    await page.getByText("Against S0").waitFor()
    await picture("diff-changeset")
    // The second stands on the first.
    await page.getByLabel("Diff of").selectOption({ label: "ChangeSet 2: Dear soup" })
    await page.getByText("Against “Only soup”").waitFor()
    expect(await menu.locator("del.diff-line").allTextContents()).toEqual(["Soup of the day, 6 pounds\n"])
    expect(await broken()).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await tooWide()).toBe(0)
    // Without a word in the address it is the newest.
    await page.getByRole("main").getByRole("link", { name: "Diff", exact: true }).click()
    expect(new URL(page.url()).search).toBe("")
    await page.getByText("Against “Only soup”").waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA and fits, $theme and $width wide", async (look) => {
    const { broken, complaints, context, page, picture, shows, tooWide } = await openSignedIn(
      world.browser,
      world.server,
      path,
      look
    )
    await shows("5 files")
    await page.locator("del b").first().waitFor()
    expect(await broken()).toEqual([])
    expect(await tooWide()).toBe(0)
    await picture(`diff-${look.theme}-${look.width}`)
    await page.getByRole("radio", { name: "Split" }).check()
    await page.locator('[data-layout="split"]').first().waitFor()
    expect(await broken()).toEqual([])
    expect(await tooWide()).toBe(0)
    await picture(`diff-split-${look.theme}-${look.width}`)
    expect(complaints).toEqual([])
    await context.close()
  })

  it("fits 320 px without scrolling sideways", async () => {
    const { context, shows, tooWide } = await openSignedIn(world.browser, world.server, path, {
      width: 320,
      height: 640
    })
    await shows("5 files")
    expect(await tooWide()).toBe(0)
    await context.close()
  })
})
