import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { page as errorPage, type PageName } from "@pawl/router/Pages"
import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { browserMissing, cookiesAt, probeApp, setting } from "../kit/BrowserProbe.ts"
import { browserWorld } from "../kit/BrowserWorld.ts"
import * as Flow from "../kit/Flow.ts"

/** Milliseconds that the browser waits for a page, on a busy machine. */
const pageMs = 180_000

/** Pictures of the pages are kept where this says, for a person to look at. */
const pictures = process.env["PAWL_TEST_PICTURES"]

describe.skipIf(browserMissing !== null)(`In a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = browserWorld()
  let context: BrowserContext
  let page: Page
  let complaints: Array<string> = []

  const probe = async (slug: string): Promise<string> => {
    const project = await Flow.createProject(world.server.api, slug, Flow.source("one", { "src/index.js": probeApp }))
    return (await Flow.liveApp(world.server.api, project.id, 0)).url
  }
  const open = async () => {
    context = await world.browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(pageMs)
    complaints = []
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text())
    })
    page.on("pageerror", (error) => complaints.push(error.message))
  }

  const fillCart = async (url: string, times: number) => {
    for (let time = 0; time < times; time++) {
      await page.goto(url)
      await page.locator('a[href^="/products/"]').first().click()
      await page.locator('form[action="/cart/add"] button').click()
      await page.waitForURL("**/cart")
    }
  }
  const cartCount = async (url: string): Promise<string | null> => {
    await page.goto(url)
    return page.locator(".cart-link .count").textContent()
  }

  it("keeps the carts and the users of the shop, a preview and a version apart, side by side", async () => {
    const { project } = await world.server.api.post<{ project: { id: string } }>("/v1/projects", {
      slug: "shop",
      template: "shop"
    })
    await Flow.liveApp(world.server.api, project.id, 0)
    const change = await Flow.openChange(world.server.api, project.id, "hours")
    await Flow.edit(world.server.api, change, { "public/hours.txt": "open\n" })
    const candidate = await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    expect(candidate.status).toBe("verified")
    const { preview } = await world.server.api.get<{ preview: { url: string } }>(
      `/v1/candidates/${candidate.id}/preview`
    )
    await Flow.promote(world.server.api, candidate.id)
    const shop = await Flow.liveApp(world.server.api, project.id, 1)
    const version = shop.url.replace("//shop.", "//v0000001--shop.")

    await open()
    await fillCart(shop.url, 1)
    await fillCart(preview.url, 2)
    await fillCart(version, 3)
    expect(await cartCount(shop.url)).toBe("1")
    expect(await cartCount(preview.url)).toBe("2")
    expect(await cartCount(version)).toBe("3")

    await page.goto(shop.url)
    await page.locator("#user").selectOption("maria")
    await page.locator("form.picker button").click()
    expect(await page.locator("#user").inputValue()).toBe("maria")
    expect(await cartCount(shop.url)).toBe("0")
    await page.goto(preview.url)
    expect(await page.locator("#user").inputValue()).toBe("demo")
    expect(complaints).toEqual([])
    await context.close()
  })

  it("gives an app its own cookies and no others, whatever apps and their scripts set", async () => {
    const [one, two] = await Promise.all([probe("one"), probe("two")])
    await open()
    await page.goto(
      setting(
        one,
        "plain=1",
        "secret=2; HttpOnly",
        "wide=3; Domain=apps.localhost",
        "top=4; Domain=localhost",
        "deep=5; Path=/deep"
      )
    )
    expect(await page.evaluate<string>("document.cookie")).toBe("rba_plain=1")
    expect(await cookiesAt(page, one)).toEqual(["plain=1", "secret=2"])
    expect(await cookiesAt(page, `${one}deep/x`)).toEqual(["deep=5", "plain=1", "secret=2"])
    expect(await cookiesAt(page, two)).toEqual([])
    const jar = await context.cookies()
    expect(
      jar.map(({ domain, httpOnly, name }) => `${name} of ${domain}${httpOnly ? ", HttpOnly" : ""}`).toSorted()
    ).toEqual([
      "rba_deep of one.apps.localhost",
      "rba_plain of one.apps.localhost",
      "rba_secret of one.apps.localhost, HttpOnly"
    ])

    // What the router cannot see: a script writes a cookie for the whole domain. The browser sends it to every app.
    await page.goto(one)
    for (const name of ["stolen", "__session", "__client_uat"])
      await page.evaluate(`document.cookie = "${name}=1; domain=apps.localhost"`)
    expect((await context.cookies(two)).map(({ name }) => name).toSorted()).toEqual([
      "__client_uat",
      "__session",
      "stolen"
    ])
    expect(await cookiesAt(page, two)).toEqual([])
    expect(await cookiesAt(page, one)).toEqual(["plain=1", "secret=2"])
    expect(complaints).toEqual([])
    await context.close()
  })

  /** What a person sees of an error: no script, nothing to complain about, nothing for an index, and it fits a phone. */
  const look = async (url: string, status: number, name: string) => {
    const answer = await page.goto(url)
    expect([name, answer?.status()]).toEqual([name, status])
    expect(await page.locator("script").count()).toBe(0)
    expect(await page.locator('meta[name="robots"]').getAttribute("content")).toBe("noindex")
    expect(await page.locator("h1").isVisible()).toBe(true)
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-phone.png`) })
    await page.setViewportSize({ width: 1024, height: 640 })
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) })
  }

  /** A Project whose app was served and is removed, with the URL that it had. */
  const removed = async (slug: string): Promise<string> => {
    const { id } = await Flow.createProject(world.server.api, slug)
    const { url } = await Flow.liveApp(world.server.api, id, 0)
    await world.server.api.delete(`/v1/projects/${id}/app`)
    return url
  }
  /** A Project whose first build fails. */
  const unbuilt = async (slug: string): Promise<void> => {
    const { id } = await Flow.createProject(
      world.server.api,
      slug,
      Flow.source("one", { "src/index.js": "export default {" })
    )
    await Flow.until(
      () => world.server.api.get<{ app: { status: string } | null }>(`/v1/projects/${id}/app`),
      ({ app }) => app?.status === "build_failed"
    )
  }

  it("shows the error pages of real hosts, plain and whole", async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    const [faulty, url] = await Promise.all([probe("faulty"), removed("gone"), unbuilt("unbuilt")])
    await open()
    await look(faulty.replace("faulty", "nobody"), 404, "no-app")
    await look(url, 410, "removed")
    await look(url.replace("gone", "unbuilt"), 503, "build-failed")
    await look(`${faulty}throw`, 502, "threw")
    await look(`${faulty}loop`, 503, "over-limit")
    expect(complaints).toEqual([])
    await context.close()
  })

  it("shows each page that the router has in light and dark", async () => {
    const names: ReadonlyArray<PageName> = [
      "noApp",
      "noPath",
      "removed",
      "building",
      "buildFailed",
      "limitReached",
      "threw",
      "overLimit",
      "unavailable"
    ]
    const pages = createServer((request, response) => {
      const shown = errorPage((request.url ?? "").slice(1) as PageName, {
        method: "GET",
        host: `a-rather-long-label-of-an-app-that-nobody-wrote.apps.localhost:${world.server.port}`
      })
      response.writeHead(shown.status, shown.headers.flat())
      void (async () => {
        for await (const part of shown.body ?? []) response.write(part)
        response.end()
      })()
    })
    await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve))
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    await open()
    for (const name of names) await look(`${origin}/${name}`, errorPage(name, { method: "HEAD" }).status, name)
    await page.emulateMedia({ colorScheme: "dark" })
    await look(`${origin}/removed`, 410, "removed-dark")
    expect(complaints).toEqual([])
    await context.close()
    pages.closeAllConnections()
    await new Promise((resolve) => pages.close(resolve))
  })
})
