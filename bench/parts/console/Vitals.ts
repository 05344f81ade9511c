/** What a visit feels like, as Chromium measures it: first and largest paint, blocked time, shifts, answers to hands. */
import type { CDPSession, Page } from "playwright-core"

/** In ms, but for `cls`. */
export interface Vitals {
  readonly fcp: number
  readonly lcp: number
  /** Of the tasks after the first paint what is beyond 50 ms each, added up. */
  readonly tbt: number
  readonly cls: number
  /** The slowest answer to a click or a key; 0 where none took 16 ms. */
  readonly inp: number
}

/** Put into a page before its own scripts. Task by task: [begin, duration]. */
export const watchVitals = `(() => {
  const seen = (window.__vitals = { fcp: 0, lcp: 0, tasks: [], cls: 0, inp: 0 })
  const watch = (type, see, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true, ...more })
  watch("paint", (entry) => { if (entry.name === "first-contentful-paint") seen.fcp = entry.startTime })
  watch("largest-contentful-paint", (entry) => { seen.lcp = entry.startTime })
  watch("longtask", (entry) => { seen.tasks.push([entry.startTime, entry.duration]) })
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.cls += entry.value })
  watch("event", (entry) => { if (entry.interactionId > 0) seen.inp = Math.max(seen.inp, entry.duration) }, { durationThreshold: 16 })
})()`

interface Seen {
  readonly fcp: number
  readonly lcp: number
  readonly tasks: ReadonlyArray<readonly [number, number]>
  readonly cls: number
  readonly inp: number
}

/** Two frames on, observers have been told of what came before. */
const told = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"

/** What the page has shown so far. */
export const vitalsOf = async (page: Page): Promise<Vitals> => {
  await page.evaluate(told)
  const { tasks, ...rest } = await page.evaluate<Seen>("window.__vitals")
  const blocked = tasks.map(([begin, duration]) => Math.max(0, Math.min(duration, begin + duration - rest.fcp) - 50))
  return { ...rest, tbt: blocked.reduce((sum, each) => sum + each, 0) }
}

/** Four times slower, over 10 Mbit/s and 40 ms, with nothing kept from before. Tell it again before each visit. */
export const slowVisit = async (cdp: CDPSession): Promise<void> => {
  const bytesPerSecond = 10_000_000 / 8
  await cdp.send("Network.enable")
  await cdp.send("Network.clearBrowserCache")
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond
  })
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 })
}
