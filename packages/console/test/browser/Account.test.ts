import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { type ConsolePage, openPage } from "./kit/ConsolePage.ts"
import { looks } from "./kit/Looks.ts"
import { tabOn } from "./kit/ProjectPages.ts"
import { linkOf, originOf, picture, provoked, signInAt } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`One's own account in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()

  const close = async (opened: ConsolePage) => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const meBy = (secret: string) =>
    fetch(`${world.server.origin}/v1/me`, { headers: { authorization: `Bearer ${secret}` } }).then(
      ({ status }) => status
    )
  const post = async (path: string, body: object) => {
    const response = await fetch(world.server.origin + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return (await response.json()) as Readonly<Record<string, string>>
  }

  it("issues a token by the keyboard alone, which counts at once, is shown this once, and counts no more when revoked", async () => {
    const opened = await signInAt(world.browser, world.server, "/settings")
    const { page, settled } = opened
    await settled("Account")
    await tabOn(page.getByRole("button", { name: "New token" }))
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("Give it a name.").waitFor()
    await page.keyboard.type("Night job")
    await picture(opened, "token-new")
    await page.keyboard.press("Enter")
    const secret = await page.getByLabel("Token", { exact: true }).inputValue()
    expect(secret).toMatch(/^pawl_/)
    await picture(opened, "token-once")
    expect(await meBy(secret)).toBe(200)
    const { items } = await world.server.api.get<{
      items: ReadonlyArray<{ name: string; scopes: ReadonlyArray<string> }>
    }>("/v1/tokens")
    expect(items.find(({ name }) => name === "Night job")?.scopes).toEqual(["read", "write"])
    await page.getByRole("button", { name: "I have kept it" }).click()
    await settled("Account")
    expect(await page.content()).not.toContain(secret)

    await page.getByRole("button", { name: "Revoke Night job" }).click()
    await page.getByRole("dialog", { name: "Revoke Night job?" }).waitFor()
    expect(await meBy(secret)).toBe(200)
    await page.getByRole("button", { name: "Revoke it" }).click()
    await page.getByRole("row", { name: /Night job.*Revoked/ }).waitFor()
    expect(await meBy(secret)).toBe(401)
    await close(opened)
  })

  it("ends a session of another browser, which is asked to sign in at once, and comes back to where it was", async () => {
    const mine = await signInAt(world.browser, world.server, "/settings")
    const theirs = await openPage(world.browser, originOf(world.server))
    await theirs.page.goto(linkOf(world.server, "/settings"))
    await theirs.settled("Account")
    await mine.settled("Account")
    await mine.page.reload()
    await mine.settled("Account")
    const row = mine.page.getByRole("row", { name: /by a printed link/ })
    await row.getByRole("button", { name: /^End Chrome \d+ on Linux$/ }).click()
    await row.waitFor({ state: "detached" })
    expect(await mine.page.getByText("this one").count()).toBe(1)

    await theirs.page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    expect(await theirs.page.getByText("this one").count()).toBe(0)
    await theirs.page.getByLabel("API token").fill(token)
    await theirs.page.keyboard.press("Enter")
    await theirs.settled("Account")
    provoked(theirs, 401)
    await close(theirs)

    await mine.page.reload()
    await mine.settled("Account")
    await mine.page.getByRole("button", { name: "End all others" }).click()
    await mine.page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" })
    const { items } = await mine.page.evaluate<{ items: ReadonlyArray<object> }>(
      `fetch("/v1/sessions").then((answer) => answer.json())`
    )
    expect(items).toHaveLength(1)
    await close(mine)
  })

  it("is one person in all tabs of a browser: who signs out or in elsewhere does so here", async () => {
    const { api } = world.server
    const { items } = await api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/organizations")
    const { token: theirs } = await api.post<{ token: string }>("/v1/users", {
      name: "Another",
      organizationId: items[0]!.id
    })
    const first = await signInAt(world.browser, world.server, "/projects")
    await first.settled("Projects")
    const second = await first.context.newPage()
    await second.goto(`${originOf(world.server)}/projects`)
    const out = async (page: Page) => {
      await page.getByRole("button", { name: "Your account" }).click()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    }
    const into = async (page: Page, secret: string) => {
      await page.getByLabel("API token").fill(secret)
      await page.keyboard.press("Enter")
    }
    const isHere = (page: Page, name: string) =>
      page.locator("#user-pop").getByText(`Signed in as ${name}`).waitFor({ state: "attached" })
    await isHere(second, "Owner")
    await out(second)
    await first.page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    await into(second, theirs)
    await isHere(second, "Another")
    await isHere(first.page, "Another")
    // Another cookie in place of the one that was there, without a word to this page: as when a provider leads back.
    const status = await second.evaluate<number>(
      `fetch("/v1/session", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token: ${JSON.stringify(token)} }) }).then((answer) => answer.status)`
    )
    expect(status).toBe(204)
    await second.reload()
    await isHere(second, "Owner")
    await isHere(first.page, "Owner")
    await first.context.close()
  })

  it("lets a device in that a person let in, after they signed in, and says what it got", async () => {
    const { deviceCode, userCode } = await post("/v1/device", { name: "pawl on a laptop" })
    const opened = await signInAt(world.browser, world.server, `/device?code=${userCode!.toLowerCase()}`)
    const { page, settled } = opened
    await settled("Let a device in")
    expect(await page.getByLabel("Code").inputValue()).toBe(userCode)
    await page.getByText("Only if you started this yourself").waitFor()
    expect(await post("/v1/device/token", { deviceCode: deviceCode! })).toMatchObject({ code: "authorization_pending" })
    await page.getByRole("button", { name: "Allow" }).click()
    await page.getByRole("heading", { name: "pawl on a laptop is let in" }).waitFor()
    await page.getByText("promote and roll back").waitFor()
    await picture(opened, "device-allowed")
    expect(await meBy((await post("/v1/device/token", { deviceCode: deviceCode! }))["token"]!)).toBe(200)
    await close(opened)
  })

  it("refuses a device that a person denied, and says of a code that it opens nothing", async () => {
    const { deviceCode, userCode } = await post("/v1/device", { name: "someone's" })
    const opened = await signInAt(world.browser, world.server, "/device")
    const { page, settled } = opened
    await settled("Let a device in")
    await page.getByRole("button", { name: "Allow" }).click()
    await page.getByText("Type the eight letters that it shows.").waitFor()
    await page.getByLabel("Code").fill("BBBB-BBBB")
    await page.keyboard.press("Enter")
    await page.getByText("This code is not one of this installation's.").waitFor()
    await page.getByLabel("Code").fill(userCode!)
    await page.getByRole("button", { name: "Deny" }).click()
    await page.getByRole("heading", { name: "someone's is refused" }).waitFor()
    expect(await post("/v1/device/token", { deviceCode: deviceCode! })).toMatchObject({ code: "access_denied" })
    provoked(opened, 400)
    await close(opened)
  })

  it.each([...looks, { theme: "light", width: 320 } as const])(
    "breaks no rule of WCAG 2.2 AA and does not scroll sideways, $theme and $width wide",
    async (look) => {
      const opened = await signInAt(world.browser, world.server, "/device?code=BCDF-GHJK", { look })
      const { broken, page, settled } = opened
      for (const [path, heading] of [
        ["/device?code=BCDF-GHJK", "Let a device in"],
        ["/settings", "Account"]
      ] as const) {
        await page.goto(originOf(world.server) + path)
        await settled(heading)
        await picture(opened, `${heading.replaceAll(" ", "-")}-${look.theme}-${look.width}`)
        expect(await broken()).toEqual([])
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width)
      }
      await page.getByRole("button", { name: "New token" }).click()
      await picture(opened, `New-token-${look.theme}-${look.width}`)
      expect(await broken()).toEqual([])
      await close(opened)
    }
  )
})
