import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import type { ConsolePage } from "./kit/ConsolePage.ts"
import { looks } from "./kit/Looks.ts"
import { tabOn } from "./kit/ProjectPages.ts"
import { originOf, picture, provoked, signInAt } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`An organization in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let organization: string
  beforeAll(async () => {
    const me = await world.server.api.get<{ organizations: ReadonlyArray<{ id: string }> }>("/v1/me")
    organization = me.organizations[0]!.id
    await Flow.createProject(world.server.api, "corner")
  })

  const close = async (opened: ConsolePage) => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const meBy = (secret: string) =>
    fetch(`${world.server.origin}/v1/me`, { headers: { authorization: `Bearer ${secret}` } }).then(
      ({ status }) => status
    )

  it("makes a user by the keyboard, whose token signs them in, and who sees the organization but changes nothing", async () => {
    const opened = await signInAt(world.browser, world.server, "/settings")
    const { page, settled } = opened
    await settled("Account")
    await tabOn(page.getByRole("link", { name: "Home" }))
    await page.keyboard.press("Enter")
    await settled("Home")
    await tabOn(page.getByRole("button", { name: "New user" }))
    await page.keyboard.press("Enter")
    await page.keyboard.type("Second")
    await page.keyboard.press("Enter")
    const secret = await page.getByLabel("Their first token").inputValue()
    await tabOn(page.getByRole("button", { name: "I have kept it" }))
    await page.keyboard.press("Enter")
    await page.getByRole("row", { name: /^Second/ }).waitFor()
    expect(await page.content()).not.toContain(secret)

    const theirs = await signInAt(world.browser, world.server, `/org/${organization}`, { secret })
    await theirs.settled("Home")
    await theirs.page.getByRole("row", { name: /^Second .*member$/ }).waitFor()
    expect(await theirs.page.getByRole("button", { name: /^(New user|Remove|Disable)/ }).count()).toBe(0)
    await close(theirs)

    await page.getByRole("button", { name: "Disable Second" }).click()
    await page.getByLabel("Type Second to confirm").fill("Second")
    expect(await meBy(secret)).toBe(200)
    await page.keyboard.press("Enter")
    await page.getByRole("row", { name: /^Second/ }).waitFor({ state: "detached" })
    expect(await meBy(secret)).toBe(401)
    await close(opened)
  })

  it("keeps an owner: who removes the last one is told why not", async () => {
    const opened = await signInAt(world.browser, world.server, `/org/${organization}`)
    const { page, settled } = opened
    await settled("Home")
    await page.getByRole("button", { name: "Remove Owner" }).click()
    await page.getByRole("button", { name: "Remove them" }).click()
    await page.getByRole("alert").getByText("an organization keeps one owner at least").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("row", { name: /^Owner/ }).waitFor()
    await page.getByLabel("Role of Owner").selectOption("member")
    await page.getByRole("alert").getByText("an organization keeps one owner at least").waitFor()
    expect(await page.getByLabel("Role of Owner").inputValue()).toBe("owner")
    provoked(opened, 400, 409)
    await close(opened)
  })

  it("does not write over what somebody else changes in the very moment: it says so, shows what there is, and goes on from it", async () => {
    const made = async (name: string) =>
      (await world.server.api.post<{ user: { id: string } }>("/v1/users", { name, organizationId: organization })).user
        .id
    const [here, theirs] = [await made("Here"), await made("Theirs")]
    const opened = await signInAt(world.browser, world.server, `/org/${organization}`)
    const { page, settled } = opened
    await settled("Home")
    // Between the page's last look and its own list somebody else takes one out.
    let isFirst = true
    await page.route("**/v1/organizations/*/members", async (route) => {
      if (isFirst && route.request().method() === "PUT") {
        isFirst = false
        const path = `/v1/organizations/${organization}/members`
        const { items } = await world.server.api.get<{ items: ReadonlyArray<{ userId: string; role: string }> }>(path)
        const members = items.filter(({ userId }) => userId !== theirs).map(({ role, userId }) => ({ role, userId }))
        await world.server.api.put(path, { members })
      }
      await route.continue()
    })
    await page.getByLabel("Role of Here").selectOption("owner")
    await page.getByRole("alert").getByText("Somebody else changed it").waitFor()
    await page.getByRole("row", { name: /^Theirs/ }).waitFor({ state: "detached" })
    expect(await page.getByLabel("Role of Here").inputValue()).toBe("member")
    provoked(opened, 412)
    await page.getByLabel("Role of Here").selectOption("owner")
    await page.getByRole("alert").waitFor({ state: "detached" })
    const roles = () =>
      world.server.api.get<{ items: ReadonlyArray<{ userId: string; role: string }> }>(
        `/v1/organizations/${organization}/members`
      )
    const { items } = await Flow.until(roles, (list) =>
      list.items.some(({ role, userId }) => userId === here && role === "owner")
    )
    expect(items.map(({ userId }) => userId)).not.toContain(theirs)
    await close(opened)
  })

  it("tells of the installation: that it can work, what it gave up, what is used, and with which keys it signs", async () => {
    const opened = await signInAt(world.browser, world.server, "/system")
    const { page, settled } = opened
    await settled("System")
    await page.getByText("It can work").waitFor()
    await page.getByText("Nothing was given up").waitFor()
    await page.getByRole("row", { name: /^corner 1 / }).waitFor()
    // What the doctor finds is what the command line's finds: each part has a row.
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ part: string }> }>("/v1/system/findings")
    expect(items.map(({ part }) => part)).toEqual(expect.arrayContaining(["Node", "git", "Sandbox for checks"]))
    for (const { part } of items) await page.getByRole("row", { name: part }).first().waitFor()
    const { usage } = await world.server.api.get<{ usage: { buildsToday: number; buildsCap: number } }>("/v1/system")
    expect(usage.buildsToday).toBeGreaterThan(0)
    await page.getByText(`${usage.buildsCap - usage.buildsToday} of ${usage.buildsCap}`).waitFor()
    await page.getByRole("heading", { name: "Queue", exact: true }).waitFor()
    const { keys } = await world.server.api.get<{ keys: ReadonlyArray<{ keyid: string }> }>("/v1/keys")
    expect(keys.length).toBeGreaterThan(0)
    for (const { keyid } of keys) await page.getByText(keyid).first().waitFor()
    await close(opened)
  })

  it.each([...looks, { theme: "light", width: 320 } as const])(
    "breaks no rule of WCAG 2.2 AA and does not scroll sideways, $theme and $width wide",
    async (look) => {
      const opened = await signInAt(world.browser, world.server, "/system", { look })
      const { broken, page, settled } = opened
      await settled("System")
      for (const [path, heading] of [
        ["/system", "System"],
        [`/org/${organization}`, "Home"]
      ] as const) {
        await page.goto(originOf(world.server) + path)
        await settled(heading)
        await picture(opened, `${heading}-${look.theme}-${look.width}`)
        expect(await broken()).toEqual([])
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width)
      }
      await close(opened)
    }
  )
})
