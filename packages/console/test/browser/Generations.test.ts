import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import type { ConsolePage } from "./kit/ConsolePage.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { signedIn, tabOn, tabTo, widthOf } from "./kit/ProjectPages.ts"
import { picture } from "./kit/SignIn.ts"

interface Version {
  readonly generation: number
  readonly tree: string
  readonly commit: string
}

describe.skipIf(browserMissing !== null)(`Generations and rollbacks (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let project: { readonly id: string; readonly label: string }
  let opened: ConsolePage

  const open = async (path: string, options: Parameters<typeof signedIn>[3] = {}) => {
    opened = await signedIn(world.browser, world.server.port, `/p/${project.label}/${path}`, options)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const promote = async (goal: string, files: Readonly<Record<string, string>>, generation: number) => {
    const change = await Flow.openChange(world.server.api, project.id, goal)
    await Flow.edit(world.server.api, change, files, `${goal}, done`)
    const candidate = await Flow.requestCandidate(world.server.api, change)
    await Flow.gated(world.server.api, candidate.id)
    await Flow.promote(world.server.api, candidate.id)
    await Flow.released(world.server.api, project.id, generation)
  }
  const versions = async (): Promise<ReadonlyArray<Version>> =>
    (await world.server.api.get<{ items: ReadonlyArray<Version> }>(`/v1/projects/${project.id}/versions`)).items
  const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent")

  beforeAll(async () => {
    project = await Flow.createProject(world.server.api, "line")
    await Flow.liveApp(world.server.api, project.id, 0)
    await promote("Say when we are open", { "public/hours.txt": "9 to 5\n" }, 1)
    await promote("Open longer on Fridays", { "public/hours.txt": "9 to 5\nFridays 9 to 8\n" }, 2)
  })

  it("are listed newest first with goal, person, trigger and release, and a number leads to its row", async () => {
    const { page, settled } = await open("generations")
    await settled("Generations")
    const rows = page.locator("[data-generation]")
    await rows.nth(0).getByText("Released").waitFor()
    const told = await rows.allTextContents()
    expect(told.length).toBe(3)
    expect(told[0]).toMatch(/^S2liveOpen longer on FridaysPromoted · \w/)
    expect(told[1]).toMatch(/^S1Say when we are openPromoted · /)
    expect(told[2]).toMatch(/^S0The first sourceFirst source/)
    await page.keyboard.press("/")
    await page.keyboard.type("s1")
    await page.keyboard.press("Enter")
    await page.locator('[data-generation="1"] a:focus').waitFor()
    await page.keyboard.press("k")
    expect(await focused(page)).toBe("S2")
    await page.getByLabel("Generation", { exact: true }).fill("99")
    await page.keyboard.press("Enter")
    await page.getByText("Give a number from 0 to 2.").waitFor()
    await close()
  })

  it("are compared, any two of them, with the lines that come and go", async () => {
    const { page, settled } = await open("generations")
    await settled("Generations")
    await page.getByLabel("Compare", { exact: true }).fill("S0")
    await page.keyboard.press("Enter")
    await settled("S0 and S2")
    const region = page.getByRole("region", { name: "1 file differs" })
    await region.getByText("public/hours.txt").first().waitFor()
    expect(await region.locator('[data-line="added"]').allTextContents()).toEqual([
      "+2",
      "+9 to 5\n",
      "+Fridays 9 to 8\n"
    ])
    await page.getByLabel("with", { exact: true }).fill("0")
    await page.keyboard.press("Enter")
    await settled("S0 and S0")
    await page.getByText("Nothing differs").waitFor()
    await close()
  })

  it("have a page of evidence that prints whole ids and no bar, and lines to check it", async () => {
    const [, one] = await versions()
    const signed = () => world.server.api.page(`${world.server.origin}/v1/projects/${project.id}/versions/1/statement`)
    await Flow.until(signed, ({ status }) => status !== 409)
    const { page, settled } = await open("generations/1", { refused: ["/statement", "/vsa"] })
    await settled("Generation S1")
    for (const part of ["What is canonical", "Release", "What it is made of", "Checks", "Approvals", "Signed"])
      await page.getByRole("region", { name: part, exact: true }).waitFor()
    await page.getByText("Say when we are open, done").waitFor()
    await page.getByRole("row", { name: /^test pass yes/ }).waitFor()
    const line = await page.getByRole("region", { name: "By git: the commit has this tree" }).textContent()
    expect(line).toContain(`rev-parse "${one!.commit}^{tree}"`)
    await page.emulateMedia({ media: "print" })
    await page.getByText(one!.tree, { exact: true }).first().waitFor()
    expect(await page.locator(".bar").isVisible()).toBe(false)
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false)
    await picture(opened, "generation-print")
    await close()
  })

  it("that are not there are told, and the page lives", async () => {
    const { page, settled } = await open("generations/77", { refused: ["/versions/77$"] })
    await settled("Generation S77")
    await page.getByText("There is no generation S77").first().waitFor()
    await close()
  })

  it.each(looks)("break no rule of WCAG 2.2 AA, $theme and $width wide", async (look) => {
    const { broken, page, settled } = await open("generations", { look, refused: ["/statement", "/vsa"] })
    for (const [path, heading] of [
      ["generations", "Generations"],
      ["generations/2", "Generation S2"],
      ["generations/compare?from=0&to=2", "S0 and S2"],
      ["rollback?to=0", "Roll back to S0"],
      ["rollback", "Roll back"]
    ] as const) {
      await page.goto(`http://localhost:${world.server.port}/p/${project.label}/${path}`)
      await settled(heading)
      expect(await broken()).toEqual([])
      expect(await widthOf(opened)).toBeLessThanOrEqual(look.width)
      await picture(opened, `${heading.replaceAll(" ", "-")}-${look.theme}-${look.width}`)
    }
    await close()
  })

  it("are rolled back by the keyboard alone, from the plan to the release, and told done when the server says so", async () => {
    const { page, settled } = await open("generations")
    await settled("Generations")
    await page.locator('[data-generation="1"]').getByText("Released").waitFor()
    await tabTo(page, "a", "Roll back to S1")
    await page.keyboard.press("Enter")
    await settled("Roll back to S1")
    await page.getByRole("region", { name: "It undoes 1 generation" }).getByText("Open longer on Fridays").waitFor()
    await page.getByText("Data stays as it is: what the app stored since S1 is not undone").waitFor()
    await page.getByText("What it undoes is of low risk: no approval is owed.").waitFor()
    await page.locator('.patch [data-line="removed"]', { hasText: "Fridays" }).waitFor()
    await tabOn(page.getByLabel("Reason (optional)"))
    await page.keyboard.type("The prices were wrong")
    await tabTo(page, "button", "Ask for the rollback to S1")
    await page.keyboard.press("Enter")
    await page.waitForURL(/change=chg_/)
    await page.getByRole("button", { name: "Promote the tree of S1" }).waitFor()
    await page.getByText("Your turn: its checks have passed, and nothing has changed yet.").waitFor()
    await page.getByText("Ready to promote", { exact: true }).waitFor()
    expect((await versions()).length).toBe(3)
    await picture(opened, "rollback-checked")
    await tabTo(page, "button", "Promote the tree of S1")
    await page.keyboard.press("Enter")
    await page.getByText("See the generations").waitFor()
    const [head, , one] = await versions()
    expect([head!.generation, head!.tree]).toEqual([3, one!.tree])
    await Flow.liveApp(world.server.api, project.id, 3)
    await page.getByText("S3 is live").waitFor()
    await page.getByRole("link", { name: /\.apps\.localhost/ }).waitFor()
    await picture(opened, "rollback-done")
    await tabTo(page, "a", "See the generations")
    await page.keyboard.press("Enter")
    await settled("Generations")
    const row = page.locator('[data-generation="3"]')
    await row.getByText("Back to S1").waitFor()
    await row.getByText("The prices were wrong").waitFor()
    await close()
  })

  it("are not rolled back on a head that moved: the new plan is shown, and nothing was done", async () => {
    const { page, settled } = await open("rollback?to=0", { refused: ["/rollback$"] })
    await settled("Roll back to S0")
    await page.getByText("S4 will have the tree of S0.").waitFor()
    // The head moves once the person has asked: news of it come to the page too, and would show the new plan first.
    await page.route(/\/rollback$/, async (route) => {
      await promote("Close on Sundays", { "public/hours.txt": "9 to 5\nSundays never\n" }, 4)
      await route.continue()
    })
    const answered = page.waitForResponse(/\/rollback$/)
    await page.getByRole("button", { name: "Ask for the rollback to S0" }).click()
    expect((await answered).status()).toBe(409)
    await page.getByText("The head moved from S3 to S4 meanwhile.").waitFor()
    await page.getByText("S5 will have the tree of S0.").waitFor()
    await page.getByRole("region", { name: "It undoes 4 generations" }).getByText("Close on Sundays").waitFor()
    await picture(opened, "rollback-moved")
    expect((await versions()).length).toBe(5)
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ kind: string }> }>(
      `/v1/projects/${project.id}/changes`
    )
    expect(items.filter(({ kind }) => kind === "rollback").length).toBe(1)
    await close()
  })
})
