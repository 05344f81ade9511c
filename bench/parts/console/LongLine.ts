/** A Project of 10,000 generations on one page: row 5 of the console's acceptance. */
import type { BrowserContext } from "playwright-core"
import { figure, type Measured, valueAtMost } from "../../Figure.ts"
import { across, inTurn, lastly, median, worst } from "../../Rounds.ts"
import { bounded, generations, questionsOf, settled, signedIn, untilTrue, type World } from "./World.ts"

/** When an element is first drawn, in ms from the beginning of the visit. */
const watchFor = (selector: string): string => `(() => {
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)}) === null) return
    watcher.disconnect()
    requestAnimationFrame(() => setTimeout(() => { window.__shown = performance.now() }))
  }
  const watcher = new MutationObserver(look)
  watcher.observe(document, { childList: true, subtree: true })
})()`

interface Shown {
  readonly ms: number
  readonly lists: number
  readonly nodes: number
  readonly heapMiB: number
}

const visit = async ({ origin }: World, context: BrowserContext, label: string, newest: number): Promise<Shown> => {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const asked = questionsOf(page)
  const cdp = await context.newCDPSession(page)
  await cdp.send("Network.enable")
  await cdp.send("Network.clearBrowserCache")
  await page.addInitScript({ content: watchFor(`[data-generation="${newest}"] .generation-goal`) })
  await page.goto(`${origin}/p/${label}/generations`)
  await untilTrue(page, "window.__shown > 0")
  await settled(page)
  const lists = asked.filter((path) => path.includes("/versions")).length
  const countNodes = () => page.evaluate<number>("document.getElementsByTagName('*').length")
  const first = await countNodes()
  // Half way down the line.
  const middle = Math.floor(newest / 2)
  await page.keyboard.press("/")
  await page.keyboard.type(String(middle))
  await page.keyboard.press("Enter")
  await page.locator(`[data-generation="${middle}"] .generation-goal`).waitFor()
  await settled(page)
  const nodes = Math.max(first, await countNodes())
  const ms = await page.evaluate<number>("window.__shown")
  await cdp.send("HeapProfiler.collectGarbage")
  const { usedSize } = await cdp.send("Runtime.getHeapUsage")
  await page.close()
  return { ms, lists, nodes, heapMiB: usedSize / 2 ** 20 }
}

/** Each round a first visit of the long line and one of a Project with ten generations. */
export const measure = async (world: World): Promise<Measured> => {
  const { context } = await signedIn(world)
  const sides = {
    young: () => visit(world, context, "young", 9),
    long: () => visit(world, context, "long", generations - 1)
  }
  const { long, young } = await lastly(inTurn<keyof typeof sides, Shown>(world.rounds, sides, world.say), () =>
    context.close()
  )
  const of = (name: keyof Shown, visits: ReadonlyArray<Shown>) => visits.map((each) => each[name])
  const beside = (name: string, field: keyof Shown, unit: string, bound: number) =>
    figure({
      name,
      value: median(of(field, long)),
      unit,
      floor: "a Project with 10 generations",
      floorValue: median(of(field, young)),
      ratio: across(of(field, long), of(field, young)),
      target: valueAtMost(bound, unit)
    })
  return {
    figures: [
      beside("console-10000-generations", "ms", "ms", 1000),
      bounded("console-10000-generations-requests", worst(of("lists", long)), "requests", 1),
      beside("console-10000-generations-nodes", "nodes", "nodes", 1500),
      beside("console-10000-generations-heap", "heapMiB", "MiB", 80)
    ],
    notes: [
      `10,000 generations: the newest are there after ${median(of("ms", long)).toFixed(0)} ms (worst ${worst(of("ms", long)).toFixed(0)}); nodes and memory after a jump to the middle of the line.`
    ]
  }
}
