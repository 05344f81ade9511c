import type { WhyLane } from "@pawl/core/why/WhyLane"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { type Entry, laned, racers, settled as landed } from "../../../server/test/e2e/kit/LaneFacts.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import * as Held from "./kit/HeldLane.ts"
import type { ConsolePage } from "./kit/ConsolePage.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { signedIn, tabTo, widthOf } from "./kit/ProjectPages.ts"
import { picture } from "./kit/SignIn.ts"
import { giveUpOn } from "./kit/WrittenRows.ts"

describe.skipIf(browserMissing !== null)(`The lane in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let id: string
  let all: Awaited<ReturnType<typeof racers>>
  let opened: ConsolePage

  const open = async (path: string, options: Parameters<typeof signedIn>[3] = {}) => {
    opened = await signedIn(world.browser, world.server.port, path, options)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const goals = () => opened.page.locator(".entries:not(.entries-ended) .entry-goal").allTextContents()

  beforeAll(async () => {
    id = (await laned(world.server.api, "turns")).id
  })

  it("that is off says where it is switched on", async () => {
    await Flow.createProject(world.server.api, "unlaned")
    const { page, settled } = await open("/p/unlaned/lane")
    await settled("Lane")
    await page.getByText("The lane is off").waitFor()
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0)
    await close()
  })

  it("is paused by the keyboard, with a reason that all read, and nothing lands meanwhile", async () => {
    const { page, settled } = await open("/p/turns/lane")
    await settled("Lane")
    await page.getByText("Nobody waits to land").waitFor()
    await tabTo(page, "button", "Pause")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("Say why.").waitFor()
    await page.keyboard.type("the shop has a sale")
    await page.keyboard.press("Enter")
    await page.getByText("The lane is paused by Owner: the shop has a sale").waitFor()
    all = await racers(world.server.api, id, 3, [2])
    for (const { change } of all) await Flow.requestCandidate(world.server.api, change)
    await page.reload()
    await page.locator(".entry-goal", { hasText: "race 2" }).waitFor()
    expect(await goals()).toEqual(["race 0", "race 1", "race 2"])
    await close()
  })

  it("is a step away from a Change that stands in it, and the Change from it", async () => {
    const { page, settled } = await open(`/changes/${all[1]!.change.id}`)
    await settled("race 1")
    await tabTo(page, "a", "in the lane")
    await page.keyboard.press("Enter")
    await settled("Lane")
    await page.getByRole("link", { name: "race 1" }).click()
    await settled("race 1")
    await page.goBack()
    await settled("Lane")
    await close()
  })

  it("has its order changed by an admin, which is shown when the server has done it", async () => {
    const { page, settled } = await open("/p/turns/lane")
    await settled("Lane")
    await page.locator(".entry", { hasText: "race 1" }).getByRole("button", { name: "Move" }).click()
    await page.getByLabel("Put it before").selectOption({ label: "1. race 0" })
    await page.keyboard.press("Tab")
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.locator(".entry:first-child .entry-goal", { hasText: "race 1" }).waitFor()
    expect(await goals()).toEqual(["race 1", "race 0", "race 2"])
    await picture(opened, "lane-paused")
    await close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA while it is paused, $theme and $width wide", async (look) => {
    const { broken, page, settled } = await open("/p/turns/lane", { look })
    await settled("Lane")
    await page.locator(".entry summary").first().click()
    await page.getByText(/^It waits for/).waitFor()
    expect(await broken()).toEqual([])
    expect(await widthOf(opened)).toBeLessThanOrEqual(look.width)
    await picture(opened, `lane-${look.theme}-${look.width}`)
    await close()
  })

  it("goes on, and tells of each what became of it: where it landed, or why not, with its checks", async () => {
    const { broken, page, settled } = await open("/p/turns/lane")
    await settled("Lane")
    await page.getByRole("button", { name: "Let it go on" }).click()
    await page.getByRole("button", { name: "Pause" }).waitFor()
    await landed(world.server.api, id, all)
    await page.reload()
    await settled("Lane")
    const ended = page.locator(".entries-ended .entry")
    const of = (goal: string) => ended.filter({ hasText: goal })
    expect(await of("race 1").textContent()).toMatch(/Landed.*It landed as S1\./)
    expect(await of("race 0").textContent()).toMatch(/Landed.*It landed as S2\./)
    expect(await of("race 2").textContent()).toMatch(/Rejected.*A required check failed while it stood first\./)
    await of("race 2").getByText("Why", { exact: true }).click()
    await of("race 2").locator('.bars li[data-result="fail"]', { hasText: "test failed" }).first().waitFor()
    expect(await of("race 2").locator('.bars g[data-result="fail"]').count()).toBeGreaterThan(0)
    await settled("Lane")
    expect(await broken()).toEqual([])
    await picture(opened, "lane-ended")
    await close()
  })
})

describe.skipIf(browserMissing !== null)(`A lane that is held up (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld({ environment: () => Held.environment })
  let held: Held.HeldLane
  let opened: ConsolePage

  const open = async (path: string, options: Parameters<typeof signedIn>[3] = {}) => {
    opened = await signedIn(world.browser, world.server.port, path, options)
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const entryOf = (goal: string) =>
    opened.page.locator(".entry", { has: opened.page.getByRole("link", { name: goal }) })

  /** Opens the reasons of an entry by the keyboard, and answers them. */
  const whyOf = async (goal: string) => {
    await entryOf(goal).locator("summary").press("Enter")
    return entryOf(goal).locator("details")
  }

  beforeAll(async () => {
    held = await Held.heldLane(world.server.api, "held")
  })

  it("has the bars of all its rows on one axis: what began later begins further to the right", async () => {
    const { page } = await open("/p/held/lane")
    const beginsAt = async (goal: string) =>
      Number.parseFloat((await entryOf(goal).locator(".bars .bar").first().getAttribute("x"))!)
    await entryOf("Open on Sundays").locator(".bars .bar").nth(1).waitFor()
    await entryOf("Sell gift cards").locator(".bars .bar").nth(1).waitFor()
    await page.getByText(/^All bars lie on one axis of time/).waitFor()
    expect(await beginsAt("Open on Sundays")).toBe(0)
    expect(await beginsAt("Sell gift cards")).toBeGreaterThan(0)
    await picture(opened, "lane-held")
    await close()
  })

  it("shows who is in doubt hatched, and says so in words; nobody else is", async () => {
    await open("/p/held/lane")
    const bad = entryOf("Break the shop")
    await bad.getByText(/^test failed, in doubt, /).waitFor()
    const fills = await opened.page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll(".bar-doubt")].map((each) => getComputedStyle(each).fill)`
    )
    expect(fills).toHaveLength(await bad.locator(".bar").count())
    for (const fill of fills) expect(fill).toMatch(/^url\(/)
    expect(await opened.page.locator(".entry:not([data-state=doubtful]) .bar-doubt").count()).toBe(0)
    await close()
  })

  it("tells of one that waits whom it cannot be merged with and where, who stands before it, and when it will land", async () => {
    await open("/p/held/lane")
    const why = await whyOf("Open on Mondays")
    const words = why.getByText("It cannot be merged with Open on Sundays: it waits until that has landed or left.")
    await words.waitFor()
    const { id } = await Held.standing(world.server.api, held.id, held.other, () => true)
    const told = await world.server.api.get<{ why: WhyLane }>(`/v1/lane-entries/${id}`)
    expect(await words.getByRole("link").getAttribute("href")).toBe(`/changes/${told.why.waits?.changeId}`)
    expect(await why.locator("code").allTextContents()).toEqual(["src/hours.txt"])
    expect(await why.locator(".before a").allTextContents()).toEqual([
      "Open on Sundays",
      "Sell gift cards",
      "Break the shop"
    ])
    expect(await why.locator(".before li").nth(2).textContent()).toContain(
      "Doubtful waits for one that stands before it"
    )
    await why.getByText(/^Likely to land in .+; in 19 of 20 cases in .+\.$/).waitFor()
    await close()
  })

  it("tells of one in doubt who is to be decided first, by a link to the Change", async () => {
    const { page, settled } = await open("/p/held/lane")
    const why = await whyOf("Break the shop")
    await why.getByText(/^It waits for one that stands before it: Sell gift cards\.$/).waitFor()
    await why.locator("p").getByRole("link", { name: "Sell gift cards" }).press("Enter")
    await settled("Sell gift cards")
    expect(page.url()).toContain(`/changes/${held.second.id}`)
    await close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA with all its reasons open, $theme and $width wide", async (look) => {
    const { broken, page, settled } = await open("/p/held/lane", { look })
    await settled("Lane")
    for (const summary of await page.locator(".entry summary").all()) await summary.press("Enter")
    await page
      .getByText(/^Likely to land in/)
      .last()
      .waitFor()
    expect(await broken()).toEqual([])
    expect(await widthOf(opened)).toBeLessThanOrEqual(look.width)
    await picture(opened, `lane-held-${look.theme}-${look.width}`)
    await close()
  })

  it("tells until when a freeze holds one back, and why", async () => {
    const { until } = await Held.frozenLane(world.server.api, "frozen")
    await open("/p/frozen/lane")
    const why = await whyOf("Wait for the fair")
    await why.getByText(/^It waits for the end of a freeze, in 1 h \(.+ UTC\): the fair\.$/).waitFor()
    expect(await why.locator("time.moment").getAttribute("datetime")).toBe(until)
    await picture(opened, "lane-frozen")
    await close()
  })

  it("that somebody goes past costs what the dialog says before: so many predictions, each of which then names what refuted it", async () => {
    const { page, settled } = await open(`/changes/${held.past.change.id}`)
    await settled("Past the lane 0")
    await page.getByRole("button", { name: "Promote", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText(/^This goes past the lane: 3 predictions fall, and their Changes are/).waitFor()
    await picture(opened, "lane-past")
    await dialog.getByRole("button", { name: "Promote", exact: true }).click()
    await dialog.waitFor({ state: "detached" })
    await page.goto(page.url().replace(/\/changes\/.*/, "/p/held/lane"))
    for (const change of [held.first, held.second, held.bad]) {
      const { id } = await Held.standing(world.server.api, held.id, change, ({ predictions }) => predictions > 0)
      const { why } = await Flow.until(
        () => world.server.api.get<{ why: WhyLane }>(`/v1/lane-entries/${id}`),
        ({ why: { predictions } }) => predictions.length > 0
      )
      const { generation, reason } = why.predictions[0]!
      const words = entryOf(change.goal).locator('.bars li[data-result="refuted"]').first()
      await words.waitFor()
      const told = (await words.textContent())!
      expect(told).toMatch(new RegExp(`^as S${generation} refuted after \\d`))
      expect(told.slice(-reason.length)).toBe(reason)
      expect(await entryOf(change.goal).locator('.bars g[data-result="refuted"] .bar').count()).toBeGreaterThan(0)
    }
    await picture(opened, "lane-refuted")
    await close()
  })

  it("says which command of an entry failed too often, why, and what to do about it", async () => {
    const isChecked = ({ candidateId, state }: Entry) => state === "running" && candidateId !== undefined
    const { candidateId } = await Held.standing(world.server.api, held.id, held.first, isChecked)
    await world.server.stop()
    giveUpOn(world.folder, `candidate.create:${candidateId}`)
    await world.startAgain(Held.environment)
    const { page, settled } = await open("/p/held/lane")
    const why = await whyOf("Open on Sundays")
    await why.getByText("It waits for a person: candidate.create failed too often: the disk was full").waitFor()
    await why.getByText("Its Candidate stays as it is, unchecked.").waitFor()
    await picture(opened, "lane-dead")
    await why.getByRole("link", { name: "dead letters" }).press("Enter")
    await settled("Dead letters")
    await page.getByText("the disk was full").waitFor()
    await close()
  })
})
