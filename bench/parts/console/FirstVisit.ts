/** A first visit from a slow machine over a slow line, and hands on the page: row 2 of the console's acceptance. */
import type { BrowserContext, Page } from "playwright-core"
import { type Figure, figure, type Measured, valueAtMost } from "../../Figure.ts"
import { across, inTurn, lastly, median, worst } from "../../Rounds.ts"
import * as Flow from "../../../packages/server/test/e2e/kit/Flow.ts"
import * as Front from "../Front.ts"
import { bareSite, type SentFile } from "./BarePage.ts"
import { slowVisit, type Vitals, vitalsOf, watchVitals } from "./Vitals.ts"
import { bounded, settled, signedIn, type World } from "./World.ts"

const paths = { inbox: "/", changes: "/p/many/changes" } as const

/**
 * Opens a new tab at an address as a first visitor until what is `loaded` is true in it; then there may be hands on it. It is
 * asked in a few words: what Playwright puts into a page to wait there takes 50 to 100 ms of the page's own thread.
 */
const visit = async (
  context: BrowserContext,
  url: string,
  loaded: string,
  used: (page: Page) => Promise<void> = async () => undefined
): Promise<Vitals> => {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.addInitScript({ content: watchVitals })
  const cdp = await context.newCDPSession(page)
  await slowVisit(cdp)
  await page.goto(url)
  await Flow.until(
    () => cdp.send("Runtime.evaluate", { expression: loaded, returnByValue: true }),
    ({ result }) => result.value === true
  )
  const { fcp, lcp, tbt } = await vitalsOf(page)
  await used(page)
  const { cls, inp } = await vitalsOf(page)
  await page.close()
  return { fcp, lcp, tbt, cls, inp }
}

/** What somebody does on a list of Changes: search, walk by keys, a dialog, other screens and back. */
const hands = async (page: Page): Promise<void> => {
  // What Playwright puts into a page comes before the first hand, and holds up none.
  await settled(page)
  const search = page.getByRole("searchbox", { name: "Search" })
  await search.click()
  await page.keyboard.type("number 99", { delay: 50 })
  await search.fill("")
  await settled(page)
  await page.locator("h1").click()
  for (const key of ["j", "j", "k"]) await page.keyboard.press(key)
  await page.getByRole("button", { name: "New Change" }).click()
  await page.getByLabel("Goal").click()
  await page.keyboard.type("A goal", { delay: 50 })
  await page.keyboard.press("Escape")
  for (const name of ["Generations", "Overview", "Changes"]) {
    await page.getByRole("link", { name, exact: true }).first().click()
    await settled(page)
  }
}

const isSettled = `document.querySelector('main[data-settled="true"] h1') !== null`
const isListed = `${isSettled} && document.querySelector("tbody tr") !== null`
const isWritten = `document.body?.textContent.includes("in words") === true`

/** The console's own files of a first visit, by their bytes on the way. */
const filesOf = async (context: BrowserContext, url: string) => {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send("Network.enable")
  await cdp.send("Network.clearBrowserCache")
  const types = new Map<string, string>()
  const files: Array<SentFile> = []
  let pageBytes = 0
  cdp.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type))
  cdp.on("Network.loadingFinished", ({ encodedDataLength, requestId }) => {
    const type = types.get(requestId)
    if (type === "Document") pageBytes = encodedDataLength
    if (type === "Script") files.push({ kind: "script", bytes: encodedDataLength })
    if (type === "Stylesheet") files.push({ kind: "style", bytes: encodedDataLength })
  })
  await page.goto(url)
  await settled(page)
  await page.close()
  return { pageBytes, files }
}

const figuresOf = (
  pages: Readonly<Record<"inbox" | "changes", ReadonlyArray<Vitals>>>,
  bare: ReadonlyArray<Vitals>
): ReadonlyArray<Figure> => {
  const of = (name: keyof Vitals, visits: ReadonlyArray<Vitals>) => visits.map((each) => each[name])
  // The slower of the two pages.
  const painted = (name: "fcp" | "lcp", bound: number) => {
    const slower = [pages.inbox, pages.changes].toSorted((a, b) => median(of(name, b)) - median(of(name, a)))[0]!
    return figure({
      name: `console-${name}`,
      value: median(of(name, slower)),
      unit: "ms",
      floor: "a bare page of the same bytes",
      floorValue: median(of(name, bare)),
      ratio: across(of(name, slower), of(name, bare)),
      target: valueAtMost(bound, "ms")
    })
  }
  const told = (name: "tbt" | "cls" | "inp", unit: string, bound: number) => {
    const value = Math.max(median(of(name, pages.inbox)), median(of(name, pages.changes)))
    return bounded(`console-${name}`, value, unit, bound)
  }
  return [
    painted("fcp", 1000),
    painted("lcp", 1500),
    told("tbt", "ms", 150),
    told("cls", "of the window", 0.02),
    told("inp", "ms", 200)
  ]
}

/** The console's two pages that are opened most, each visited for the first time, beside a bare page. */
export const measure = async (world: World): Promise<Measured> => {
  const { context } = await signedIn(world)
  const { files, pageBytes } = await filesOf(context, world.origin + paths.changes)
  const bare = bareSite(pageBytes, files)
  const port = await Front.listen(bare)
  const sides = {
    bare: () => visit(context, `http://localhost:${port}/`, isWritten),
    inbox: () => visit(context, world.origin + paths.inbox, isSettled),
    changes: () => visit(context, world.origin + paths.changes, isListed, hands)
  }
  const visits = await lastly(inTurn<keyof typeof sides, Vitals>(world.rounds, sides, world.say), async () => {
    await context.close()
    await Front.close(bare)
  })
  const spread = (name: keyof Vitals, of: ReadonlyArray<Vitals>) =>
    `${name} ${median(of.map((each) => each[name])).toPrecision(3)} (worst ${worst(of.map((each) => each[name])).toPrecision(3)})`
  const all = (of: ReadonlyArray<Vitals>) =>
    (["fcp", "lcp", "tbt", "cls", "inp"] as const).map((name) => spread(name, of)).join(", ")
  return {
    figures: figuresOf(visits, visits.bare),
    notes: [
      `A first visit takes ${files.length + 1} files of ${Math.round((pageBytes + files.reduce((sum, { bytes }) => sum + bytes, 0)) / 1024)} KiB on the way.`,
      `The Inbox: ${all(visits.inbox)}.`,
      `A list of Changes, with hands on it: ${all(visits.changes)}.`
    ]
  }
}
