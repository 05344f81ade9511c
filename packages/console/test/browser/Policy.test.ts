import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import type { ConsolePage } from "./kit/ConsolePage.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { tabOn } from "./kit/ProjectPages.ts"
import { picture, provoked, signInAt } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`A Policy in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let id: string
  beforeAll(async () => {
    ;({ id } = await Flow.createProject(world.server.api, "corner"))
  })

  const close = async (opened: ConsolePage) => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const policy = async () =>
    (await world.server.api.get<{ policy: Readonly<Record<string, unknown>> }>(`/v1/projects/${id}/policy`)).policy
  const putByOther = async (body: object) => {
    const answer = await fetch(`${world.server.origin}/v1/projects/${id}/policy`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect(answer.status).toBe(200)
  }

  it("is changed field by field and by its JSON, by the keyboard, and saved as the next version", async () => {
    const opened = await signInAt(world.browser, world.server, "/p/corner/settings")
    const { page, settled } = opened
    await settled("Policy")
    const risks = page.getByRole("group", { name: "A person must approve what is of risk" })
    await tabOn(risks.getByLabel("medium"))
    await page.keyboard.press("Space")
    await tabOn(page.getByLabel("Checks that are required"))
    await page.keyboard.type("test\nlint")
    const json = page.getByLabel("All fields, as the API takes them")
    expect(JSON.parse(await json.inputValue())).toMatchObject({
      approvalRiskTiers: ["medium", "high"],
      requiredChecks: ["test", "lint"]
    })
    await json.fill("{")
    await page.getByText("This is no JSON object yet.").waitFor()
    await json.fill(
      JSON.stringify({ approvalRiskTiers: ["medium", "high"], requiredChecks: ["test"], packages: { minAgeDays: 3 } })
    )
    expect(await page.getByLabel("Youngest age, in days").inputValue()).toBe("3")
    expect(await page.getByLabel("Checks that are required").inputValue()).toBe("test")
    await page.getByLabel("Agents that people bring").selectOption({ label: "take none" })
    expect(JSON.parse(await json.inputValue())).toMatchObject({ outsideAgents: false })
    await page
      .getByText(
        "Not saved: Risks that need an approval, Checks required in any case, Agents that people bring, Packages"
      )
      .waitFor()
    await tabOn(page.getByRole("button", { name: "Save as version 2" }))
    await page.keyboard.press("Enter")
    await page.getByText("Version 2, of").waitFor()
    expect(await policy()).toMatchObject({
      version: 2,
      approvalRiskTiers: ["medium", "high"],
      requiredChecks: ["test"],
      packages: { minAgeDays: 3 },
      outsideAgents: false
    })
    await page.getByText("Not saved").waitFor({ state: "detached" })
    await close(opened)
  })

  it("says before it is saved what it would have done to the last Changes, and no more once it is changed again", async () => {
    const change = await Flow.openChange(world.server.api, id, "a page more")
    await Flow.edit(world.server.api, change, { "lib/more.js": "export default 1\n" })
    await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    const opened = await signInAt(world.browser, world.server, "/p/corner/settings")
    const { broken, page, settled } = opened
    await settled("Policy")
    const before = await policy()
    await page.getByLabel("How many people must approve").selectOption("3")
    const card = page.getByRole("region", { name: "What it would have done to the last 20 Changes" })
    await card.getByRole("button", { name: "Try it" }).click()
    await card.getByText("It would have changed something for 1 of 1 Change").waitFor()
    await card.getByRole("row", { name: /a page more.*other approvals.*3 people would have to approve/ }).waitFor()
    expect(await broken()).toEqual([])
    await picture(opened, "policy-backtest")
    await page.getByLabel("How many people must approve").selectOption("4")
    await card.getByText("Trying stores nothing").waitFor()
    expect(await policy()).toEqual(before)
    await world.server.api.post(`/v1/changes/${change.id}/cancel`)
    await page.getByRole("button", { name: "Discard" }).click()
    await close(opened)
  })

  it("that somebody else saved meanwhile is not written over: both are shown, and go together when I say so", async () => {
    const opened = await signInAt(world.browser, world.server, "/p/corner/settings")
    const { broken, page, settled } = opened
    await settled("Policy")
    const before = Number((await policy())["version"])
    await page.getByLabel("How many people must approve").selectOption("2")
    await page.getByLabel("A command that failed runs once more").check()
    await putByOther({ ...(await policy()), approvalsRequired: 3, allowSelfApproval: false })
    await page.getByRole("button", { name: `Save as version ${before + 1}` }).click()
    const conflict = page.getByRole("alert", { name: "Somebody else changed the Policy" })
    await conflict.getByRole("row", { name: "Approvals owed changed by both 3 2" }).waitFor()
    await conflict.getByRole("row", { name: "Approving one's own false true" }).waitFor()
    expect(await policy()).toMatchObject({ version: before + 1, approvalsRequired: 3, allowSelfApproval: false })
    expect(await broken()).toEqual([])
    await picture(opened, "policy-conflict")
    await page.getByRole("button", { name: "Put mine on top of theirs" }).click()
    await page.getByRole("button", { name: `Save as version ${before + 2}` }).click()
    await page.getByText(`Version ${before + 2}, of`).waitFor()
    expect(await policy()).toMatchObject({
      version: before + 2,
      approvalsRequired: 2,
      allowSelfApproval: false,
      flakeRetries: 1
    })
    provoked(opened, 409)
    await close(opened)
  })

  it("is refused with the field that will not do, and nothing that was entered is lost", async () => {
    const opened = await signInAt(world.browser, world.server, "/p/corner/settings")
    const { page, settled } = opened
    await settled("Policy")
    await page.getByRole("button", { name: "Add a freeze" }).click()
    await page.getByLabel("From (UTC)").fill("2027-01-02T00:00")
    await page.getByLabel("Until (UTC)").fill("2027-01-01T00:00")
    await page.getByLabel("Reason").fill("The sale")
    await page.getByRole("button", { name: /^Save as version/ }).click()
    await page.getByRole("alert").getByText("freezes: each begins before it ends.").waitFor()
    await page.getByLabel("From (UTC)").fill("2026-12-31T00:00")
    await page.getByRole("button", { name: /^Save as version/ }).click()
    await page.getByText("Not saved").waitFor({ state: "detached" })
    expect((await policy())["freezes"]).toEqual([
      { from: "2026-12-31T00:00:00.000Z", until: "2027-01-01T00:00:00.000Z", reason: "The sale" }
    ])
    provoked(opened, 400)
    await close(opened)
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA and does not scroll sideways, $theme and $width wide", async (look) => {
    const opened = await signInAt(world.browser, world.server, "/p/corner/settings", { look })
    const { broken, page, settled } = opened
    await settled("Policy")
    await page.getByLabel("Changes land in turn").check()
    await page.getByRole("button", { name: "Waive a check" }).click()
    await page.getByText("Not saved:").waitFor()
    await picture(opened, `policy-${look.theme}-${look.width}`)
    // As tall as it is: what stays in view while one scrolls would hide a part of what is behind it.
    await page.setViewportSize({ width: look.width, height: 5000 })
    expect(await broken()).toEqual([])
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width)
    await close(opened)
  })
})
