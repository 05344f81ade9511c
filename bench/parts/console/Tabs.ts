/** Ten tabs with one stream, the tab that holds it closed, and tabs that nobody touches: row 6 of the console's acceptance. */
import { setTimeout as pause } from "node:timers/promises"
import type { BrowserContext, Page } from "playwright-core"
import * as Flow from "../../../packages/server/test/e2e/kit/Flow.ts"
import { figure, type Measured, valueAtMost } from "../../Figure.ts"
import { median, worst } from "../../Rounds.ts"
import { live, none, signedIn, untilTrue, type World } from "./World.ts"

const tabs = 10
/** How long nobody touches them. */
const idleMs = 20_000
/** Changes that are opened around the moment at which the tab is closed, and how far apart. */
const [around, apartMs] = [20, 100]
/** Takeovers at most: a tab is gone with each. */
const most = 5

const isStream = (url: string): boolean => new URL(url).pathname === "/v1/changes-of-state"

/** What a tab hears of the news, whichever tab holds the stream. */
const listen = `(() => {
  const heard = (window.__heard = [])
  new BroadcastChannel("pawl.changes-of-state").addEventListener("message", ({ data }) => {
    if (data.is === "said" && data.what.is === "event") heard.push(JSON.parse(data.what.event.data))
  })
})()`

interface Heard {
  readonly kind: string
  readonly id: string
}

/** Opens tabs, and keeps which of them holds the stream, and when that one's was opened. */
const openTabs = async ({ origin }: World, context: BrowserContext) => {
  const holder: { page: Page | null; sinceMs: number } = { page: null, sinceMs: 0 }
  const requests: Array<string> = []
  context.on("request", (request) => requests.push(request.url()))
  context.on("response", (response) => {
    if (!isStream(response.url()) || response.status() !== 200) return
    holder.page = response.frame().page()
    holder.sinceMs = performance.now()
  })
  const all: Array<Page> = []
  for (let tab = 0; tab < tabs; tab++) {
    const page = await context.newPage()
    await page.goto(`${origin}/p/shop/changes`)
    all.push(page)
  }
  await Promise.all(all.map(live))
  return { all, holder, requests }
}

/** Closes the tab that holds the stream while Changes are opened. Answers how long there was none, and what nobody heard. */
const takenOver = async (world: World, opened: Awaited<ReturnType<typeof openTabs>>, name: string) => {
  const { all, holder } = opened
  const first = holder.page!
  const left = all.filter((page) => page !== first)
  all.splice(0, all.length, ...left)
  const last = left.at(-1)!
  await last.evaluate(listen)
  let closedMs = 0
  const ids: Array<string> = []
  for (let at = 0; at < around; at++) {
    ids.push((await Flow.openChange(world.server.api, world.projects.shop, `${name}-${at}`)).id)
    if (at === around / 4) {
      closedMs = performance.now()
      await first.close()
    }
    await pause(apartMs)
  }
  const heard = await Flow.until(
    async () => new Set((await last.evaluate<ReadonlyArray<Heard>>("window.__heard")).map(({ id }) => id)),
    (found) => found.has(ids.at(-1)!)
  )
  return { ms: holder.sinceMs - closedMs, lost: ids.filter((id) => !heard.has(id)).length }
}

const blank = { status: 200, contentType: "text/html", body: "<!doctype html><title>Bare</title>" }
const hold = `navigator.locks.request("bench", () => new Promise(() => {}))`

/** The same without the console: a lock that a closed tab held, and a stream that is opened then. */
const byHand = async ({ origin }: World, context: BrowserContext): Promise<number> => {
  const url = `${origin}/bench-bare`
  await context.route(url, (route) => route.fulfill(blank))
  const [one, two] = [await context.newPage(), await context.newPage()]
  await one.goto(url)
  await two.goto(url)
  await one.evaluate(`void ${hold}`)
  await untilTrue(one, `navigator.locks.query().then(({ held }) => held.some(({ name }) => name === "bench"))`)
  const open = `fetch("/v1/changes-of-state", { headers: { accept: "text/event-stream" } }).then(({ body }) => (window.__open = body, 1))`
  const taken = two.evaluate(`navigator.locks.request("bench", () => ${open})`)
  const began = performance.now()
  await one.close()
  await taken
  const ms = performance.now() - began
  await two.close()
  return ms
}

/** Ten tabs are idle first; then the one with the stream is closed, as often as there are rounds. */
export const measure = async (world: World): Promise<Measured> => {
  const { context, page } = await signedIn(world)
  const bare: Array<number> = []
  const taken: Array<{ readonly ms: number; readonly lost: number }> = []
  const rounds = Math.min(world.rounds, most)
  for (let round = 0; round < rounds; round++) bare.push(await byHand(world, context))
  await page.close()
  const opened = await openTabs(world, context)
  // What was asked for before the stream opened is asked for once more then.
  await pause(1000)
  await Promise.all(opened.all.map(live))
  world.say(`${tabs} tabs, untouched for ${idleMs / 1000} s`)
  const before = opened.requests.length
  await pause(idleMs)
  const idle = opened.requests.length - before
  for (let round = 1; round <= rounds; round++) {
    world.say(`takeover ${round} of ${rounds}`)
    taken.push(await takenOver(world, opened, `takeover-${round}`))
  }
  const streams = opened.requests.filter(isStream).length
  await context.close()
  const ms = taken.map((each) => each.ms)
  return {
    figures: [
      figure({
        name: "console-takeover",
        value: worst(ms),
        unit: "ms",
        floor: "a bare lock and stream",
        floorValue: worst(bare),
        ratio: worst(ms) / worst(bare),
        target: valueAtMost(2000, "ms")
      }),
      none(
        "console-takeover-lost",
        taken.reduce((sum, { lost }) => sum + lost, 0),
        "events"
      ),
      none("console-idle-requests", idle, "requests")
    ],
    notes: [
      `${tabs} tabs, of which the one with the stream was closed ${rounds} times while ${around} Changes were opened, each ${apartMs} ms after the one before; ${streams} streams were asked for in all, median ${median(ms).toFixed(0)} ms without one, by hand ${median(bare).toFixed(0)} ms.`
    ]
  }
}
