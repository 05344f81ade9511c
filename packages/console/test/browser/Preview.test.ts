import { beforeAll, describe, expect, it } from "vitest"
import { siteOf } from "../../src/preview/FrameCookies.ts"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looks } from "./kit/Looks.ts"
import { openSignedIn } from "./kit/ChangePage.ts"
import { tabOn } from "./kit/ProjectPages.ts"

/** A page that says a word, and that keeps no cookie without saying so. */
const app = (
  word: string
) => `const page = \`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Shop</title><link rel="icon" href="data:,"><style>body{font:20px sans-serif;padding:2rem;background:#fff;color:#222}</style>
<h1>${word}</h1><p id="wide"></p><script>
document.cookie = "visits=1"
const tell = () => {
  const kept = document.cookie === "" ? "no cookies" : "cookies"
  document.getElementById("wide").textContent = innerWidth + " wide, " + kept
}
// A browser tells no frame of the size that it had before it was drawn for the first time.
setInterval(tell, 50)
tell()
</script></html>\`
export default { fetch: () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }) }
`

describe.skipIf(browserMissing !== null)(`The preview of a Candidate (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let path: string
  let broken: string

  const candidateOf = async (projectId: string, goal: string, source: string) => {
    const change = await Flow.openChange(world.server.api, projectId, goal)
    await Flow.edit(world.server.api, change, { "src/index.js": source })
    await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    return `/changes/${change.id}/preview`
  }
  /** A page that shows frames of apps: what it asks of them is no complaint. */
  const open = async (
    ...given: Parameters<typeof openSignedIn> extends [unknown, unknown, ...infer Rest] ? Rest : never
  ) => {
    const opened = await openSignedIn(world.browser, world.server, ...given)
    const others = () => opened.complaints.filter((each) => !/^http:\/\/[\w-]+\.apps\.localhost:/.test(each))
    return { ...opened, others }
  }

  beforeAll(async () => {
    const project = await Flow.createProject(
      world.server.api,
      "shop",
      Flow.source("", { "src/index.js": app("Open 9 to 5") })
    )
    await Flow.liveApp(world.server.api, project.id, 0)
    path = await candidateOf(project.id, "Open an hour longer", app("Open 9 to 6"))
    broken = await candidateOf(project.id, "Break the build", "export default {\n")
  })

  it("stands beside what is live, each in a frame as wide as the screen that was chosen, by the keyboard", async () => {
    const { context, others, page, shows } = await open(path)
    await shows("Preview alone")
    const preview = page.frameLocator('iframe[title^="The preview of cand_"]')
    const live = page.frameLocator('iframe[title="The live app"]')
    await preview.getByRole("heading", { name: "Open 9 to 6" }).waitFor()
    await live.getByRole("heading", { name: "Open 9 to 5" }).waitFor()
    await preview.getByText(/^1280 wide/).waitFor()
    await page.getByLabel("Page of the app").fill("hours?day=1")
    await page.keyboard.press("Enter")
    await page.locator('iframe[src$="/hours?day=1"]').nth(1).waitFor()
    await preview.getByRole("heading", { name: "Open 9 to 6" }).waitFor()
    await live.getByRole("heading", { name: "Open 9 to 5" }).waitFor()
    await tabOn(page.getByRole("radio", { name: "1280" }))
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowLeft")
    await page.locator('iframe[width="390"]').first().waitFor()
    await tabOn(page.getByRole("radio", { name: "Beside live" }))
    await page.keyboard.press("ArrowRight")
    await page.locator('iframe[title="The live app"]').waitFor({ state: "detached" })
    expect(others()).toEqual([])
    await context.close()
  })

  it("may run scripts and forms in its frame and nothing more, says that it keeps no cookies there, and opens in a tab", async () => {
    const { context, others, page, shows } = await open(path)
    await shows("the apps keep no cookies")
    const frame = page.locator('iframe[title^="The preview of cand_"]')
    expect(await frame.getAttribute("sandbox")).toBe("allow-scripts allow-forms allow-same-origin allow-popups")
    expect(await frame.getAttribute("referrerpolicy")).toBe("no-referrer")
    expect(await frame.getAttribute("allow")).toBe("")
    await page
      .frameLocator('iframe[title^="The preview of cand_"]')
      .getByText(/no cookies$/)
      .waitFor()
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      page
        .getByRole("region", { name: "Preview" })
        .getByRole("link", { name: /^Open in a tab/ })
        .click()
    ])
    await tab.getByText(/wide, cookies$/).waitFor()
    expect(others()).toEqual([])
    await context.close()
  })

  it.each([
    ["pawl.example.co.uk", "example.co.uk"],
    ["pawl.test.example.com", "example.com"],
    ["example.com", "example.com"],
    ["someone.github.io", "someone.github.io"],
    ["console.site.localhost", "site.localhost"],
    ["localhost", "localhost"],
    ["127.0.0.1", "127.0.0.1"]
  ])("at %s is of the site %s, as the browser has it, of which no cookie is left", async (host, site) => {
    const page = await world.browser.newPage()
    await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>here" }))
    await page.goto(`http://${host}/`)
    expect(
      await page.evaluate<unknown>(`[(${siteOf.toString()})(location.hostname, document), document.cookie]`)
    ).toEqual([site, ""])
    await page.close()
  })

  it("is not there for a build that failed, and says so", async () => {
    const { context, complaints, page, shows } = await open(broken)
    await shows("There is no preview yet")
    await page.getByText("The build failed, so there is nothing to try.").waitFor()
    // The browser tells of each 404.
    expect(complaints.filter((each) => !each.includes("404"))).toEqual([])
    await context.close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA and fits, $theme and $width wide", async (look) => {
    const opened = await open(path, look)
    await opened.shows("Preview alone")
    await opened.page.frameLocator('iframe[title="The live app"]').getByRole("heading").waitFor()
    expect(await opened.broken()).toEqual([])
    expect(await opened.tooWide()).toBe(0)
    await opened.picture(`preview-${look.theme}-${look.width}`)
    expect(opened.others()).toEqual([])
    await opened.context.close()
  })

  it("fits 320 px without scrolling sideways", async () => {
    const { context, shows, tooWide } = await open(path, { width: 320, height: 640 })
    await shows("Preview alone")
    expect(await tooWide()).toBe(0)
    await context.close()
  })
})
