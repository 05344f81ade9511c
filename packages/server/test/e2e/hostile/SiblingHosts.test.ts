/** An app's page in the browser of somebody who is signed in to the console: hosts of one site, so the cookie comes along. */
import { endpoints } from "@pawl/server/http/index"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Issuer } from "../../node/identity/Issuer.ts"
import { browserMissing } from "../kit/BrowserProbe.ts"
import { browserWorld, oneSite } from "../kit/BrowserWorld.ts"
import * as Flow from "../kit/Flow.ts"
import { token } from "../kit/ServerProcess.ts"

/** Milliseconds that the browser waits for a page, on a busy machine. */
const pageMs = 180_000

interface Target {
  readonly name: string
  readonly method: string
  readonly path: string
}

interface Seen {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly userId: string | null
}

/** A page that runs what the test tells it to, as the page of a hostile app would by itself. */
const app = `export default {
  fetch: () => new Response("<!doctype html><title>app</title><link rel=icon href=data:,><p>an app", {
    headers: { "content-type": "text/html; charset=utf-8" }
  })
}
`

const open = endpoints.filter(({ need }) => need === null).map(({ path }) => path)

describe.skipIf(browserMissing !== null)(`A page of an app (${browserMissing ?? "Chromium"})`, () => {
  let console: string
  // With a provider of identities the endpoints that lead there and back do something.
  const issuer = new Issuer()
  afterAll(() => issuer.stop())
  const world = browserWorld({
    environment: async () => {
      const site = await oneSite()
      console = site.console
      await issuer.start()
      return {
        ...site.environment,
        PAWL_ACCESS_LOG: "true",
        PAWL_OIDC_ISSUER: issuer.url,
        PAWL_OIDC_AUDIENCE: "pawl",
        PAWL_OIDC_CLIENT_ID: "console"
      }
    }
  })
  let context: BrowserContext
  let page: Page
  let ids: ReadonlyMap<string, string>
  let secret: string

  /** The requests that reached the API since the log was this long. */
  const seenSince = (from: number): ReadonlyArray<Seen> =>
    world.server
      .log()
      .slice(from)
      .split("\n")
      .filter((line) => line.includes('"request"'))
      .map((line): Record<string, unknown> => JSON.parse(line))
      .map((line) => ({ ...line, ...(line["annotations"] as object | undefined) }))
      .map(({ method, route, status, userId }: Record<string, unknown>) => ({
        route: String(route),
        method: String(method),
        status: Number(status),
        userId: typeof userId === "string" ? userId : null
      }))

  const targets = (): ReadonlyArray<Target> =>
    endpoints.map(({ method, name, path }) => {
      const word = /^\/v1\/([a-z-]+)\/:id/.exec(path)?.[1] ?? ""
      return { name, method, path: path.replace(":id", ids.get(word) ?? "proj_x").replace(":n", "0") }
    })
  const reads = () => targets().filter(({ method }) => method === "GET")

  /** All that may be written by anybody who is signed in. */
  const everything = async () => {
    const lists = ["/v1/projects", "/v1/tokens", "/v1/sessions", "/v1/users", "/v1/organizations", "/v1/inbox"]
    const of = (path: string) => world.server.api.get<{ items?: ReadonlyArray<Record<string, unknown>> }>(path)
    const project = ids.get("projects")
    const more = ["members", "changes", "policy", "webhooks", "approvers", "history"].map(
      (part) => `/v1/projects/${project}/${part}`
    )
    const all = [...lists, ...more].filter((path) => reads().some((each) => each.path === path))
    return Promise.all(all.map(async (path) => [path, JSON.stringify(await of(path))]))
  }

  /** Runs a function that is written for the page, with what it is given. */
  const inPage = <A>(script: string, given: unknown = null): Promise<A> =>
    page.evaluate(`(${script})(${JSON.stringify(given)})`)

  beforeAll(async () => {
    const project = await Flow.createProject(world.server.api, "hostile", Flow.source("one", { "src/index.js": app }))
    const { url } = await Flow.liveApp(world.server.api, project.id, 0)
    const change = await Flow.openChange(world.server.api, project.id, "one")
    ids = new Map([
      ["projects", project.id],
      ["changes", change.id]
    ])
    context = await world.browser.newContext({ bypassCSP: true })
    page = await context.newPage()
    page.setDefaultTimeout(pageMs)
    await page.goto(`${console}/health`)
    const headers = { "content-type": "application/json" }
    const signingIn = { method: "POST", headers, body: JSON.stringify({ token }) }
    const status = await inPage<number>(
      `(asked) => fetch("/v1/session", asked).then(({ status }) => status)`,
      signingIn
    )
    if (status !== 204) throw new Error(`nobody could sign in: ${String(status)}`)
    secret = (await context.cookies(console)).find(({ name }) => name === "__Host-pawl")?.value ?? ""
    await page.goto(url)
  })

  /**
   * The requests since then did nothing and were told nothing that not everybody is. 403 says that the cookie came along:
   * without one it is 401.
   */
  const gotNothing = async (from: number, atLeast: number) => {
    const seen = await Flow.until(
      async () => seenSince(from),
      (all) => all.length >= atLeast
    )
    for (const { method, route, status, userId } of seen) {
      expect([route, userId]).toEqual([route, null])
      // What is no endpoint answers everybody the same.
      if (route !== "unknown" && !open.includes(route)) expect([method, route, status]).toEqual([method, route, 403])
    }
  }

  it("gets nothing by fetch, of any endpoint, by any method", async () => {
    const [before, from] = [await everything(), world.server.log().length]
    const told = await inPage<ReadonlyArray<string>>(
      `async ([to, all]) => {
        const answers = []
        for (const { method, path } of all)
          for (const mode of ["cors", "no-cors"])
            for (const type of ["text/plain", "application/json"]) {
              const body = method === "GET" ? {} : { body: "{}", headers: { "content-type": type } }
              try {
                const answer = await fetch(to + path, { method, mode, credentials: "include", ...body })
                answers.push(answer.type === "opaque" ? "" : await answer.text())
              } catch {
                answers.push("")
              }
            }
        return answers
      }`,
      [console, targets()]
    )
    expect(told.filter((text) => text !== "")).toEqual([])
    await gotNothing(from, reads().length * 2)
    expect(await everything()).toEqual(before)
  })

  it("gets nothing by forms, in frames and in windows", async () => {
    const [before, from] = [await everything(), world.server.log().length]
    await inPage(
      `async ([to, all]) => {
        for (const { method, path } of all) {
          const frame = document.createElement("iframe")
          frame.name = "target"
          document.body.append(frame)
          const over = new Promise((resolve) => frame.addEventListener("load", resolve))
          const form = document.createElement("form")
          Object.assign(form, { action: to + path, target: "target", method: method === "GET" ? "get" : "post" })
          form.enctype = "text/plain"
          const field = document.createElement("input")
          Object.assign(field, { name: '{"slug":"by-a-form","token":"x","y":"', value: '"}' })
          form.append(field)
          document.body.append(form)
          form.submit()
          await over
          frame.remove()
          form.remove()
        }
      }`,
      [console, targets()]
    )
    await gotNothing(from, reads().length)
    expect(await everything()).toEqual(before)
    const popup = context.waitForEvent("page")
    await inPage(`(to) => void window.open(to + "/v1/projects")`, console)
    const opened = await popup
    await opened.waitForLoadState()
    expect(await opened.locator("body").textContent()).toContain("cross_site")
    await opened.close()
  })

  it("gets nothing by images", async () => {
    const [before, from] = [await everything(), world.server.log().length]
    const shown = await inPage<ReadonlyArray<boolean>>(
      `([to, all]) =>
        Promise.all(
          all.map(
            ({ path }) =>
              new Promise((resolve) => {
                const image = new Image()
                image.addEventListener("load", () => resolve(true))
                image.addEventListener("error", () => resolve(false))
                image.src = to + path
              })
          )
        )`,
      [console, reads()]
    )
    expect(shown).not.toContain(true)
    await gotNothing(from, reads().length)
    expect(await everything()).toEqual(before)
  })

  it("gets nothing by event streams", async () => {
    const from = world.server.log().length
    const opened = await inPage<ReadonlyArray<boolean>>(
      `async ([to, all]) => {
        const answers = []
        for (const { path } of all)
          answers.push(
            await new Promise((resolve) => {
              const source = new EventSource(to + path, { withCredentials: true })
              const end = (isOpen) => {
                source.close()
                resolve(isOpen)
              }
              source.addEventListener("open", () => end(true))
              source.addEventListener("error", () => end(false))
            })
          )
        return answers
      }`,
      [console, reads()]
    )
    expect(opened).not.toContain(true)
    await gotNothing(from, reads().length)
  })

  it("cannot put a session of its own in place of the one that is there", async () => {
    await inPage(`() => {
      for (const domain of ["; Domain=site.localhost", "; Domain=apps.site.localhost", ""])
        document.cookie = "__Host-pawl=stolen; Secure; Path=/" + domain
      document.cookie = "__Secure-pawl=stolen; Secure; Path=/; Domain=site.localhost"
    }`)
    const kept = await context.cookies(console)
    expect(kept.filter(({ name }) => name === "__Host-pawl").map(({ value }) => value)).toEqual([secret])
  })
})
