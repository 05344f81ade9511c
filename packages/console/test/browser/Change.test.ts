import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looks } from "./kit/Looks.ts"
import type { Look } from "./kit/ConsolePage.ts"
import { tabOn, tabTo } from "./kit/ProjectPages.ts"
import { signedIn, type SignedInPage } from "./kit/SignedIn.ts"

/** Touches what judges it: of high risk, so that it owes an approval. */
const judged = JSON.stringify({
  checks: [{ id: "test", title: "Ours", command: "true" }],
  probes: [{ path: "/", status: 200 }]
})

/** Refusals that a test means to get. */
const refused = /\/v1\/(session|changes-of-state)$|\/promote$/

describe.skipIf(browserMissing !== null)(`A Change in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let projectId: string
  let opened: SignedInPage

  const open = async (path: string, look: Look = {}, expected?: RegExp) => {
    opened = await signedIn(world.browser, world.server.port, token, path, look, expected)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const proposed = async (goal: string, files: Readonly<Record<string, string>>) => {
    const change = await Flow.openChange(world.server.api, projectId, goal)
    await Flow.edit(world.server.api, change, files, goal)
    const candidate = await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    return { change, candidate }
  }

  beforeAll(async () => {
    projectId = (await Flow.createProject(world.server.api, "shop")).id
    await Flow.liveApp(world.server.api, projectId, 0)
  })

  it("is approved and promoted by the keyboard, and S1 is live only after the server says so", async () => {
    const { change } = await proposed("Judge it by our own command", { "pawl.json": judged })
    const { page, picture, settled } = await open(`/changes/${change.id}`)
    await settled("Judge it by our own command")
    const next = page.getByRole("region", { name: "What is next" })
    await next.getByText("Decide on it").waitFor()
    await picture("change-owes")
    // What the page asks of the app is held back.
    let letGo = (): void => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await page.route(`**/v1/projects/${projectId}/app`, async (route) => {
      await held
      await route.continue()
    })

    await page.keyboard.press("a")
    const approving = page.getByRole("dialog", { name: "Approve this Candidate?" })
    await approving.getByText("pawl.json", { exact: true }).waitFor()
    await picture("change-approve")
    expect(await world.server.api.get(`/v1/changes/${change.id}/approvals`)).toMatchObject({ items: [] })
    await tabOn(approving.getByLabel("Note (optional)"), "Shift+Tab")
    await page.keyboard.type("Read line by line")
    await tabOn(approving.getByRole("button", { name: "Approve" }))
    await page.keyboard.press("Enter")
    await approving.waitFor({ state: "detached" })
    expect(await world.server.api.get(`/v1/changes/${change.id}/approvals`)).toMatchObject({
      items: [{ decision: "granted", note: "Read line by line" }]
    })
    await page.getByRole("region", { name: "Approval" }).getByText("Read line by line").waitFor()

    await next.getByText("Promote it.").waitFor()
    await picture("change-approved")
    await page.keyboard.press("a")
    const promoting = page.getByRole("dialog", { name: "Promote to S1?" })
    await promoting.waitFor()
    await picture("change-promote")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await promoting.waitFor({ state: "detached" })
    await Flow.liveApp(world.server.api, projectId, 1)
    await next.getByText("it is S1").waitFor()
    expect(await page.getByText("S1 is live").count()).toBe(0)
    letGo()
    await next.getByText("S1 is live").waitFor()
    await picture("change-live")
    await page.unroute(`**/v1/projects/${projectId}/app`)
    // It is over, and leads on.
    await next.getByText("Done: it is S1").waitFor()
    await tabTo(page, "a", "New Change")
    await page.keyboard.press("Enter")
    await settled("Changes")
    await page.getByRole("dialog", { name: "New Change" }).waitFor()
    await page.keyboard.type("What comes after")
    expect(await page.getByLabel("Goal").inputValue()).toBe("What comes after")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(new URL(page.url()).search).toBe("")
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Changes")
    await close()
  })

  it("shows every block of a promotion that is refused, and what to do", async () => {
    const { change } = await proposed("Say one more thing", { "public/hello.txt": "another asset\n" })
    const { broken, page, picture, settled } = await open(`/changes/${change.id}`, {}, refused)
    await settled("Say one more thing")
    await page.keyboard.press("a")
    const dialog = page.getByRole("dialog", { name: "Promote to S2?" })
    await dialog.getByText("public/hello.txt", { exact: true }).waitFor()
    const policy = { approvalRiskTiers: ["low", "medium", "high"], autoPromoteRiskTiers: [] }
    await world.server.api.put(`/v1/projects/${projectId}/policy`, policy)
    await dialog.getByRole("button", { name: "Promote" }).click()
    await dialog.getByText("The Candidate cannot be promoted").waitFor()
    await dialog.getByText("policy version mismatch").waitFor()
    await dialog.getByText("Request the same Candidate again").waitFor()
    expect(await dialog.locator(".blocks > li").count()).toBeGreaterThan(1)
    expect(await broken()).toEqual([])
    await picture("change-blocked")
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    // It is asked for again as it is, and planned anew.
    await page.getByRole("button", { name: "Request a Candidate" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Request" }).click()
    await page.getByRole("region", { name: "What is next" }).getByText("Decide on it").waitFor()
    await close()
  })

  it("says that canonical moved on while its dialog was open, and that nothing was promoted", async () => {
    const slow = await proposed("Come late", { "public/late.txt": "late\n" })
    const quick = await proposed("Come first", { "public/first.txt": "first\n" })
    for (const { candidate, change } of [slow, quick])
      await world.server.api.post(`/v1/changes/${change.id}/approve`, {
        candidateId: candidate.id,
        decision: "granted"
      })
    const { page, picture, settled } = await open(`/changes/${slow.change.id}`, {}, refused)
    await settled("Come late")
    await page.keyboard.press("a")
    const dialog = page.getByRole("dialog", { name: "Promote to S2?" })
    await dialog.waitFor()
    await Flow.promote(world.server.api, quick.candidate.id)
    await dialog.getByRole("button", { name: "Promote" }).click()
    await dialog.getByText("Canonical has moved on").waitFor()
    await dialog.getByText("Look at the Candidate that took its place").waitFor()
    await picture("change-stale")
    await page.keyboard.press("Escape")
    await page.getByRole("region", { name: "What is next" }).getByText("Decide on it").waitFor()
    await page.getByText("composed anew 1×").waitFor()
    expect(await page.getByText("on S1, becomes S2").count()).toBe(0)
    await page.getByText("on S2, becomes S3").waitFor()
    await picture("change-anew")
    await close()
  })

  it("is rejected for good, by one who may; who may not hears why", async () => {
    const { change, candidate } = await proposed("Not like this", { "public/no.txt": "no\n" })
    const { token: reading } = await world.server.api.post<{ token: string }>("/v1/tokens", {
      name: "reads",
      scopes: ["read"]
    })
    opened = await signedIn(world.browser, world.server.port, reading, `/changes/${change.id}`)
    await opened.settled("Not like this")
    for (const verb of ["Approve", "Reject", "Cancel the Change"]) {
      const button = opened.page.getByRole("button", { name: verb, exact: true })
      expect(await button.getAttribute("aria-disabled")).toBe("true")
      await tabOn(button)
      await opened.page.keyboard.press("Enter")
    }
    expect(await opened.page.getByRole("dialog").count()).toBe(0)
    await opened.page.getByText("This needs a token with the scope approve; this one has read.").first().waitFor()
    expect(await opened.broken()).toEqual([])
    await opened.picture("change-may-not")
    await close()
    const { page, picture, settled } = await open(`/changes/${change.id}`)
    await settled("Not like this")
    await page.getByRole("button", { name: "Reject" }).click()
    const dialog = page.getByRole("dialog", { name: "Reject this Candidate?" })
    await dialog.getByText("A rejection is final").waitFor()
    await dialog.getByRole("button", { name: "Reject" }).click()
    await page.getByRole("region", { name: "What is next" }).getByText("It was rejected by you").waitFor()
    expect(await world.server.api.get(`/v1/candidates/${candidate.id}`)).toMatchObject({
      candidate: { status: "rejected" }
    })
    await page.getByText("The same ChangeSets would be the same Candidate").waitFor()
    await picture("change-rejected")
    await page.getByRole("button", { name: "Cancel the Change" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the Change" }).click()
    await page.getByText("Cancelled", { exact: true }).first().waitFor()
    expect(await page.getByRole("button", { name: "Promote" }).count()).toBe(0)
    await close()
  })

  it("tells its whole history, step by step", async () => {
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ id: string; goal: string }> }>(
      `/v1/projects/${projectId}/changes`
    )
    const { id, goal } = items.at(-1)!
    const { broken, page, picture, settled } = await open(`/changes/${id}`)
    await settled(goal)
    await page.getByRole("link", { name: "History" }).click()
    expect(page.url()).toMatch(/\/history$/)
    await settled(goal)
    const known = await world.server.api.get<{ items: ReadonlyArray<unknown> }>(`/v1/changes/${id}/history`)
    await page.getByText("Promotions.swap").first().waitFor()
    expect(await page.locator(".steps > li").count()).toBe(known.items.length)
    expect(await broken()).toEqual([])
    await picture("change-history")
    // What was in sight once, and is not now, remembers how tall it was, not how wide.
    const frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.evaluate(`scrollTo(0, document.body.scrollHeight); ${frames}`)
    await page.evaluate(`scrollTo(0, 0); ${frames}`)
    await page.setViewportSize({ width: 390, height: 300 })
    expect(await page.evaluate<number>(`${frames}.then(() => document.documentElement.scrollWidth)`)).toBe(390)
    await page.setViewportSize({ width: 1280, height: 800 })
    for (const tab of ["Diff", "Evidence", "Preview", "Work", "Summary"]) {
      await page.getByRole("link", { name: tab, exact: true }).click()
      await settled(goal)
      expect(await page.getByRole("link", { name: tab, exact: true }).getAttribute("aria-current")).toBe("page")
    }
    await close()
  })

  it("lands in the lane where the Policy has one, and becomes canonical by itself", async () => {
    const policy = { approvalRiskTiers: ["high"], autoPromoteRiskTiers: [] }
    await world.server.api.put(`/v1/projects/${projectId}/policy`, { ...policy, lane: { mode: "on" } })
    const change = await Flow.openChange(world.server.api, projectId, "Land in turn")
    await Flow.edit(world.server.api, change, { "public/turn.txt": "my turn\n" }, "My turn")
    const { page, picture, settled } = await open(`/changes/${change.id}`)
    await settled("Land in turn")
    await page.keyboard.press("a")
    const dialog = page.getByRole("dialog", { name: "Land in the lane?" })
    await dialog.getByText("promoted in your name").waitFor()
    await picture("change-land")
    await dialog.getByRole("button", { name: "Land", exact: true }).click()
    await dialog.waitFor({ state: "detached" })
    // The server has as long as it needs: the page may not lag behind it.
    await Flow.until(
      () => world.server.api.get<{ change: { status: string } }>(`/v1/changes/${change.id}`),
      (answer) => answer.change.status === "completed"
    )
    await page
      .getByRole("region", { name: "What is next" })
      .getByText(/^S\d+ is live$/)
      .waitFor()
    expect(await world.server.api.get(`/v1/projects/${projectId}/lane`)).toMatchObject({
      ended: [{ changeId: change.id, state: "landed" }]
    })
    await close()
    await world.server.api.put(`/v1/projects/${projectId}/policy`, { ...policy, lane: { mode: "off" } })
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA, $theme and $width wide", async (look) => {
    const { change } = await proposed(`Owe an approval, ${look.theme} at ${look.width}`, {
      "pawl.json": judged.replace("true", `true ${look.theme}${look.width}`)
    })
    const { broken, page, picture, settled } = await open(`/changes/${change.id}`, look)
    await settled(change.goal)
    await page.getByText("Approval missing", { exact: false }).first().waitFor()
    expect(await broken()).toEqual([])
    await picture(`change-${look.theme}-${look.width}`)
    await page.getByRole("button", { name: "Approve" }).click()
    await page.getByRole("dialog").getByText("pawl.json", { exact: true }).waitFor()
    expect(await broken()).toEqual([])
    await picture(`change-dialog-${look.theme}-${look.width}`)
    await page.keyboard.press("Escape")
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
    await page.getByRole("link", { name: "History" }).click()
    await settled(change.goal)
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
    // The tab that is open is in sight, also of who comes to its address.
    await page.reload()
    await settled(change.goal)
    const tab = await page.getByRole("link", { name: "History", exact: true }).boundingBox()
    expect(tab!.x).toBeGreaterThanOrEqual(0)
    expect(tab!.x + tab!.width).toBeLessThanOrEqual(320)
    await picture(`change-history-320-${look.theme}-${look.width}`)
    await close()
  })
})
