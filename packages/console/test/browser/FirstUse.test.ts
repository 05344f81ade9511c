import type { Locator } from "playwright-core"
import { describe, expect, it } from "vitest"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { openPage } from "./kit/ConsolePage.ts"
import { linkOf, originOf, picture } from "./kit/SignIn.ts"

/** Milliseconds that a check of a whole template may take, on a busy machine. */
const patienceMs = 40_000

describe.skipIf(browserMissing !== null)(`The first use (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()

  it("leads from the printed link to a Project, a Change, its preview, approval, promotion and a rollback that is asked for, by what the screen says, in 19 clicks", async () => {
    const opened = await openPage(world.browser, originOf(world.server))
    const { complaints, context, page } = opened
    page.setDefaultTimeout(patienceMs)
    let clicks = 0
    const click = async (what: Locator) => {
      clicks += 1
      await what.click()
    }
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    const link = (name: string) => page.getByRole("link", { name, exact: true })
    const dialog = page.getByRole("dialog")
    const next = page.getByRole("region", { name: "What is next" })

    await page.goto(linkOf(world.server))
    await click(link("Make a Project"))
    await click(button("New Project").first())
    await page.getByLabel("Name").fill("Corner Shop")
    await click(button("Make the Project"))
    await page.getByRole("heading", { level: 1, name: "Corner Shop" }).waitFor()
    await click(page.getByRole("navigation", { name: "Project corner-shop" }).getByRole("link", { name: "Changes" }))
    await click(button("New Change"))
    await page.getByLabel("Goal").fill("Say what may fail")
    await click(button("Open the Change"))
    await next.getByText("Send a ChangeSet.", { exact: true }).waitFor()
    await click(next.getByRole("button", { name: "Send a ChangeSet" }))
    await page.getByLabel("Message").fill("A line more")
    await page.getByLabel("File").fill("pawl.json")
    const text = page.getByLabel("Its whole text")
    const taken = await Flow.until(
      () => text.inputValue(),
      ({ length }) => length > 10
    )
    await text.fill(`${taken}\n`)
    await click(button("Send"))
    await click(next.getByRole("button", { name: "Request a Candidate" }))
    await click(dialog.getByRole("button", { name: "Request" }))
    await next.getByText("Decide on it.").waitFor()
    await click(page.getByRole("main").getByRole("link", { name: "Preview", exact: true }))
    await page.getByRole("link", { name: "Open in a tab" }).first().waitFor()
    await picture(opened, "first-use-preview")
    await click(next.getByRole("button", { name: "Approve" }))
    await click(dialog.getByRole("button", { name: "Approve" }))
    await next.getByText("Promote it.").waitFor()
    await click(next.getByRole("button", { name: "Promote" }))
    await click(dialog.getByRole("button", { name: "Promote" }))
    await next.getByText("S1 is live").waitFor()
    // The button that had it is gone: whoever goes on by the keyboard is still where they were.
    await Flow.until(
      () => page.evaluate<string | null>("document.activeElement?.getAttribute('aria-label') ?? null"),
      (name) => name === "What is next"
    )
    await picture(opened, "first-use-live")
    await click(page.getByRole("main").getByRole("link", { name: "corner-shop" }).first())
    await click(page.getByRole("navigation", { name: "Project corner-shop" }).getByRole("link", { name: "Overview" }))
    await click(link("Roll back to S0"))
    await page.getByRole("heading", { level: 1, name: "Roll back to S0" }).waitFor()
    await click(button("Ask for the rollback to S0"))
    await page.waitForURL(/change=chg_/)
    await picture(opened, "first-use-rollback")
    // From the sign-in to the rollback that was asked for.
    expect(clicks).toBe(19)
    expect(complaints).toEqual([])
    await context.close()
  })
})
