import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looks } from "./kit/Looks.ts"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { buildConsole, dist } from "./kit/BuiltConsole.ts"
import { type ConsolePage, live, type Look, openPage } from "./kit/ConsolePage.ts"
import { tabOn } from "./kit/ProjectPages.ts"
import { linkOf, originOf, signInAt } from "./kit/SignIn.ts"

/** Pictures of the screens are kept where this says, for a person to look at. */
const pictures = process.env["PAWL_TEST_PICTURES"]

/** What a browser gets first: the files that the page names. */
const firstFiles = (extension: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(join(dist, "index.html"), "utf8").matchAll(/\/console\/([\w.-]+)"/g),
    ([, name]) => name!
  ).filter((name) => name.endsWith(extension))

/** As they are sent: what is sent in one packet anyway is not packed. */
const sent = (name: string): string => {
  const path = join(dist, "console", name)
  return existsSync(`${path}.gz`) ? `${path}.gz` : path
}
const packedBytes = (names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + statSync(sent(name)).size, 0)

describe("What is published of the console", () => {
  beforeAll(buildConsole)

  it("is small: 120 KB of scripts and 12 KB of styles before the first screen, packed, no font, and 25 KB for each later one", () => {
    const first = firstFiles(".js")
    expect(first.length).toBeGreaterThan(0)
    expect(packedBytes(first)).toBeLessThanOrEqual(120 * 1024)
    expect(packedBytes(firstFiles(".css"))).toBeLessThanOrEqual(12 * 1024)
    const later = readdirSync(join(dist, "console")).filter((name) => name.endsWith(".js") && !first.includes(name))
    expect(later.filter((name) => packedBytes([name]) > 25 * 1024)).toEqual([])
    expect(readdirSync(join(dist, "console")).filter((name) => /\.(woff2?|ttf|otf|eot)/.test(name))).toEqual([])
    for (const name of readdirSync(join(dist, "console")).filter((each) => each.endsWith(".css")))
      expect(readFileSync(join(dist, "console", name), "utf8")).not.toContain("@font-face")
  })

  it("names the licence of each library in it, and holds nothing of the server", () => {
    const licences = readFileSync(join(dist, "LICENSES.md"), "utf8")
    for (const name of ["react", "react-dom", "scheduler", "@tanstack/react-query", "@tanstack/query-core", "wouter"])
      expect(licences).toContain(`## ${name} - `)
    expect(licences).not.toMatch(/## (effect|@effect\/|@pawl\/)/)
  })
})

describe.skipIf(browserMissing !== null)(`The console in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let origin: string
  let opened: ConsolePage

  const open = async (look: Look = {}) => {
    opened = await openPage(world.browser, origin, look)
    return opened
  }
  const signIn = async (look: Look = {}, path = "/") => {
    opened = await signInAt(world.browser, world.server, path, { look })
    return opened
  }
  const close = async () => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const picture = async (name: string) => {
    if (pictures !== undefined) await opened.page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }

  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    origin = originOf(world.server)
  })

  it("signs in by the printed link once, and takes its code out of the address", async () => {
    const { page, settled } = await open()
    await page.goto(linkOf(world.server, "/projects"))
    await settled("Projects")
    expect(page.url()).toBe(`${origin}/projects`)
    await picture("projects-empty")
    await close()

    const again = await open()
    await again.page.goto(linkOf(world.server))
    await again.page.getByRole("alert").getByText("This code was used before").waitFor()
    expect(again.page.url()).toBe(`${origin}/`)
    await picture("sign-in-refused")
    await close()
  })

  it("says why a token is refused, and signs in by one that counts, to where one wanted to go", async () => {
    const { page, settled } = await open()
    await page.goto(`${origin}/projects`)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Paste a token first.").waitFor()
    await page.getByLabel("API token").fill("pawl_nobody-has-this-token-000")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("This token is not one of this installation's.").waitFor()
    await page.getByLabel("API token").fill(token)
    await page.keyboard.press("Enter")
    await settled("Projects")
    // It is in no place that a script can read.
    expect(await page.evaluate<string>("document.cookie + JSON.stringify(localStorage)")).not.toContain(token)
    await page.getByRole("button", { name: "Your account" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    await close()
  })

  it("writes no refusal into the browser's console for who comes for the first time, signs in, comes again and signs out", async () => {
    const none = /(?!)/
    opened = await openPage(world.browser, origin, {}, none)
    const { page, settled } = opened
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${origin}/projects`)
    await page.getByLabel("API token").fill(token)
    expect(asked.filter((path) => /^\/(v1|auth)\//.test(path))).toEqual(["/auth/methods"])
    await page.keyboard.press("Enter")
    await settled("Projects")
    await live(page)
    // Of who was here it is asked at once, and once.
    asked.length = 0
    await page.reload()
    await settled("Projects")
    expect(asked.filter((path) => /^\/(v1\/session|auth)/.test(path))).toEqual(["/v1/session"])
    // Whoever clears what a page keeps, but no cookies, is still signed in.
    await page.evaluate("localStorage.clear()")
    asked.length = 0
    await page.reload()
    await settled("Projects")
    expect(asked.filter((path) => /^\/(v1\/session|auth)/.test(path))).toEqual(["/auth/methods", "/v1/session"])
    await page.getByRole("button", { name: "Your account" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    await page.getByLabel("API token").waitFor()
    await close()
  })

  it("keeps a token that is half typed while one looks at another tab and comes back, and draws all ways in at once", async () => {
    const { page, settled } = await open()
    // Somebody was signed in here, and is not any more.
    await page.addInitScript({ content: `localStorage.setItem("pawl.signedIn", "yes")` })
    const methods = Promise.withResolvers<void>()
    await page.route("**/auth/methods", async (route) => {
      await methods.promise
      await route.continue()
    })
    await page.goto(`${origin}/projects`)
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    const at = () => page.evaluate<number>("document.querySelector('h1').getBoundingClientRect().top")
    const before = await at()
    expect(await page.getByLabel("API token").count()).toBe(0)
    methods.resolve()
    await page.getByText("No token? A link signs in too").waitFor()
    expect(await at()).toBe(before)
    await page.getByLabel("API token").fill(token.slice(0, 6))
    const asked = page.waitForResponse((each) => each.url().endsWith("/auth/methods"))
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await asked
    await page.getByLabel("API token").press("End")
    await page.keyboard.type(token.slice(6))
    await page.keyboard.press("Enter")
    await settled("Projects")
    await close()
  })

  it("makes a Project from a template, by the keyboard alone, and lists it with its head and its live app", async () => {
    const { page, settled } = await signIn({}, "/projects")
    await settled("Projects")
    await tabOn(page.getByRole("button", { name: "New Project" }).first())
    await page.keyboard.press("Enter")
    await page.keyboard.type("Corner Shop")
    expect(await page.getByLabel("Slug").inputValue()).toBe("corner-shop")
    await picture("new-project")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/p/corner-shop")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.locator('main[data-settled="true"]').waitFor()
    await page.keyboard.press("g")
    await page.keyboard.press("p")
    await settled("Projects")
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Projects")
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/projects")
    await Flow.liveApp(world.server.api, items[0]!.id, 0)
    await page.reload()
    const row = page.getByRole("row", { name: /Corner Shop/ })
    await row.getByRole("link", { name: /^corner-shop\.apps\.localhost/ }).waitFor()
    await row.getByRole("link", { name: "S0" }).waitFor()
    await close()
  })

  it("leads by Ctrl K to a Project, to each screen of it, and to a new Change, by the keyboard alone", async () => {
    const { page, settled } = await signIn()
    await settled("Inbox")
    const typed = async (text: string) => {
      await page.keyboard.press("Control+k")
      await page.locator("#projects-pop").getByRole("link", { name: "Corner Shop" }).waitFor()
      await page.keyboard.type(text)
    }
    await typed("corner")
    expect(await page.locator("#projects-pop").getByRole("link").allTextContents()).toEqual(["Corner Shopcorner-shop"])
    await page.keyboard.press("Enter")
    await settled("Corner Shop")
    await typed("dead")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/p/corner-shop/dead-letters")
    await typed("change")
    // The first is New Change, the second the list of them.
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await settled("Changes")
    await typed("new")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog", { name: "New Change" }).waitFor()
    await page.keyboard.press("Escape")
    await page.waitForURL("**/p/corner-shop/changes")
    await page.keyboard.press("Control+k")
    await picture("go-to")
    await page.keyboard.press("Escape")
    expect(await page.locator("#projects-pop").isVisible()).toBe(false)
    await close()
  })

  it("tells at the field that a slug is taken, and closes by Escape, back to the button", async () => {
    const { page, settled } = await signIn({}, "/projects")
    await settled("Projects")
    const button = page.getByRole("button", { name: "New Project" })
    await button.click()
    await page.getByLabel("Name").fill("Corner Shop")
    opened.complaints.length = 0
    await page.keyboard.press("Enter")
    await page.locator(".field-wrong").waitFor()
    expect(await page.getByLabel("Slug").getAttribute("aria-invalid")).toBe("true")
    await page.keyboard.press("Escape")
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("New Project")
    opened.complaints.splice(0, Infinity, ...opened.complaints.filter((each) => !each.includes("409")))
    await close()
  })

  it("lists what waits: a Change that owes an approval, and walks through by j and k", async () => {
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/projects")
    const checks = [{ id: "test", title: "Ours", command: "true", required: true, timeoutMs: 60_000 }]
    for (const [name, path, text] of [
      ["Check by our own command", "pawl.json", JSON.stringify({ checks })],
      ["A list of checks that is none", "pawl.json", '{"checks":{}}'],
      ["Say when we are open", "public/hours.txt", "9 to 5\n"]
    ] as const) {
      const change = await Flow.openChange(world.server.api, items[0]!.id, name)
      await Flow.edit(world.server.api, change, { [path]: text })
      await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    }
    const { page, settled } = await signIn()
    await settled("Inbox")
    const rows = await page.getByRole("main").getByRole("listitem").allTextContents()
    expect(rows.map((row) => /^(Needs approval|Rejected)/.exec(row)?.[0])).toEqual(["Needs approval", "Rejected"])
    await page.keyboard.press("j")
    expect(await page.evaluate<string | null>("document.activeElement.getAttribute('href')")).toMatch(
      /^\/changes\/chg_/
    )
    await picture("inbox")
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await picture("keys")
    await page.getByRole("checkbox").uncheck()
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    expect(await page.getByRole("dialog").count()).toBe(0)
    await close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA, $theme and $width wide", async (look) => {
    const { broken, page, settled } = await open({ ...look, height: look.width === 390 ? 844 : 800 })
    const name = (screen: string) => `${screen}-${look.theme}-${look.width}`
    await page.goto(origin)
    await page.getByRole("heading", { name: "Sign in to Pawl" }).waitFor()
    expect(await broken()).toEqual([])
    await picture(name("sign-in"))
    await page.getByLabel("API token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await settled("Inbox")
    expect(await broken()).toEqual([])
    await picture(name("inbox"))
    await page.getByRole("link", { name: "Projects", exact: true }).click()
    await settled("Projects")
    await page.getByRole("link", { name: "S0" }).waitFor()
    expect(await broken()).toEqual([])
    await picture(name("projects"))
    await page.getByRole("button", { name: "Your account" }).click()
    expect(await broken()).toEqual([])
    await picture(name("menu"))
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "New Project" }).click()
    expect(await broken()).toEqual([])
    await picture(name("dialog"))
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: "Corner Shop" }).click()
    await settled("Corner Shop")
    expect(await broken()).toEqual([])
    await picture(name("project"))
    await close()
  })

  it("fits 320 px without scrolling sideways, and keeps the theme that was chosen", async () => {
    const { page, settled } = await signIn({ width: 320, height: 640 }, "/projects")
    await settled("Projects")
    for (const [link, heading] of [
      ["Inbox", "Inbox"],
      ["Projects", "Projects"]
    ] as const) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: link }).click()
      await settled(heading)
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
    }
    await page.getByRole("button", { name: "Your account" }).click()
    await page.getByLabel("Theme").selectOption("dark")
    await page.reload()
    await settled("Projects")
    expect(await page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme")).toBe("dark")
    await close()
  })

  it("answers an address that leads nowhere, and one whose Project is not there", async () => {
    const { page, settled } = await signIn({}, "/nowhere/at/all")
    await settled("Nothing is here")
    await page.getByRole("link", { name: "Go to the Inbox" }).click()
    await settled("Inbox")
    await page.goto(`${origin}/p/nobody/changes`)
    await settled("nobody")
    await page.getByText("No Project that you may see has the label nobody.").waitFor()
    await close()
  })
})
