/** An app's page fills the browser of somebody who is signed in with cookies for the site that it shares with the console. */
import type { BrowserContext, Page } from "playwright-core"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { browserMissing } from "../kit/BrowserProbe.ts"
import { browserWorld, oneSite } from "../kit/BrowserWorld.ts"
import * as Flow from "../kit/Flow.ts"
import { token } from "../kit/ServerProcess.ts"

/** Milliseconds that the browser waits for a page, on a busy machine. */
const pageMs = 180_000

const app = `export default {
  fetch: () => new Response("<!doctype html><title>app</title><link rel=icon href=data:,><p>an app", {
    headers: { "content-type": "text/html; charset=utf-8" }
  })
}
`

describe.skipIf(browserMissing !== null)(`A flood of cookies (${browserMissing ?? "Chromium"})`, () => {
  let console: string
  const world = browserWorld({
    environment: async () => {
      const site = await oneSite()
      console = site.console
      return site.environment
    }
  })
  let context: BrowserContext
  let page: Page
  let url: string

  beforeAll(async () => {
    const project = await Flow.createProject(world.server.api, "flood", Flow.source("one", { "src/index.js": app }))
    url = (await Flow.liveApp(world.server.api, project.id, 0)).url
  })
  beforeEach(async () => {
    context = await world.browser.newContext({ bypassCSP: true })
    page = await context.newPage()
    page.setDefaultTimeout(pageMs)
  })
  afterEach(() => context.close())

  /** Runs a function that is written for the page, with what it is given. */
  const inPage = <A>(script: string, given: unknown = null): Promise<A> =>
    page.evaluate(`(${script})(${JSON.stringify(given)})`)

  const visit = async (path: string) => (await page.goto(`${console}${path}`))?.status()
  const isSignedIn = () => inPage<boolean>(`() => fetch("/v1/me").then(({ ok }) => ok)`)
  const signIn = () =>
    inPage<number>(`(asked) => fetch("/v1/session", asked).then(({ status }) => status)`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token })
    })
  /** The app's page sets as many cookies for the whole site, of as many characters each; those without `Secure` would give way. */
  const flood = async (count: number, characters: number) => {
    await page.goto(url)
    await inPage(
      `([count, value]) => {
        for (let n = 0; n < count; n++) document.cookie = "flood" + n + "=" + value + "; Domain=site.localhost; Path=/; Secure"
      }`,
      [count, "x".repeat(characters)]
    )
    // The page's script does not wait for the browser to store them; they are stored in turn.
    const last = `flood${count - 1}`
    await Flow.until(
      () => context.cookies(url),
      (kept) => kept.some(({ name }) => name === last)
    )
  }

  it("that makes requests too large is answered once, and forgotten by the browser: the person signs in again", async () => {
    expect(await visit("/health")).toBe(200)
    expect(await signIn()).toBe(204)
    expect(await isSignedIn()).toBe(true)
    await flood(8, 3500)
    expect((await context.cookies(console)).filter(({ name }) => name.startsWith("flood"))).toHaveLength(8)
    expect(await visit("/health")).toBe(431)
    expect(await context.cookies(console)).toEqual([])
    expect(await visit("/health")).toBe(200)
    expect(await isSignedIn()).toBe(false)
    expect(await signIn()).toBe(204)
    expect(await isSignedIn()).toBe(true)
  })

  it("of many small cookies signs out at most: the person signs in again, and none of them counts for anything", async () => {
    expect(await visit("/health")).toBe(200)
    expect(await signIn()).toBe(204)
    await flood(300, 1)
    expect(await visit("/health")).toBe(200)
    // The browser keeps a bounded number for a site, and forgot the session for them.
    expect(await isSignedIn()).toBe(false)
    expect(await signIn()).toBe(204)
    expect(await isSignedIn()).toBe(true)
    expect((await context.cookies(console)).some(({ name }) => name.startsWith("flood"))).toBe(true)
  })
})
