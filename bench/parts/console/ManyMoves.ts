/** 1,000 Changes of which 200 move within ten seconds: row 5 of the console's acceptance. */
import { setTimeout as pause } from "node:timers/promises"
import type { Page } from "playwright-core"
import { figure, type Measured, valueAtMost } from "../../Figure.ts"
import { median, worst } from "../../Rounds.ts"
import { bounded, changes, live, openChanges, questionsOf, signedIn, type World } from "./World.ts"

const moving = 200
const overMs = 10_000
/** Rounds at most: each takes ten seconds twice. */
const most = 3

/** Frames as they are drawn, and long tasks, from now on. */
const watchFrames = `(() => {
  const seen = (window.__frames = { longest: 0, task: 0, on: true })
  let before = performance.now()
  const draw = (now) => {
    seen.longest = Math.max(seen.longest, now - before)
    before = now
    if (seen.on) requestAnimationFrame(draw)
  }
  requestAnimationFrame((now) => { before = now; requestAnimationFrame(draw) })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) if (seen.on) seen.task = Math.max(seen.task, duration)
  }).observe({ type: "longtask" })
})()`

interface Frames {
  /** Between two frames, in ms. */
  readonly longest: number
  /** Of the tasks of 50 ms or longer. */
  readonly task: number
}

const framesDuring = async (page: Page, work: () => Promise<unknown>): Promise<Frames> => {
  await page.evaluate(watchFrames)
  await work()
  return page.evaluate<Frames>("(window.__frames.on = false, window.__frames)")
}

/** Cancels Changes one by one, evenly over the time. */
const move = async ({ server: { api } }: World, ids: ReadonlyArray<string>): Promise<void> => {
  const began = performance.now()
  const under: Array<Promise<unknown>> = []
  for (const [at, id] of ids.entries()) {
    const wait = began + (at * overMs) / ids.length - performance.now()
    if (wait > 0) await pause(wait)
    under.push(api.post(`/v1/changes/${id}/cancel`))
  }
  await Promise.all(under)
}

/** Each round 200 that are new move, and before that nothing does for half as long. */
export const measure = async (world: World): Promise<Measured> => {
  const { context, page } = await signedIn(world)
  const [still, moved, perSecond]: [Array<Frames>, Array<Frames>, Array<number>] = [[], [], []]
  const rounds = Math.min(world.rounds, most)
  for (let round = 1; round <= rounds; round++) {
    world.say(`round ${round} of ${rounds}`)
    const ids = await openChanges(world.server, world.projects.many, moving, `Round ${round}`)
    await page.goto(`${world.origin}/p/many/changes`)
    await live(page)
    still.push(await framesDuring(page, () => pause(overMs / 2)))
    const asked = questionsOf(page)
    const began = performance.now()
    moved.push(
      await framesDuring(page, async () => {
        await move(world, ids)
        await page.getByRole("row", { name: new RegExp(`Round ${round} number ${moving - 1} .*Cancelled`) }).waitFor()
      })
    )
    perSecond.push(asked.length / ((performance.now() - began) / 1000))
  }
  await context.close()
  const longest = (of: ReadonlyArray<Frames>) => worst(of.map((each) => each.longest))
  return {
    figures: [
      figure({
        name: "console-moves-frame",
        value: longest(moved),
        unit: "ms",
        floor: "the same page while nothing moves",
        floorValue: longest(still),
        ratio: longest(moved) / longest(still),
        target: valueAtMost(100, "ms")
      }),
      bounded("console-moves-requests", worst(perSecond), "requests/s", 2)
    ],
    notes: [
      `${changes} Changes, ${moving} more in each of ${rounds} rounds that move one by one within ${overMs / 1000} s; the longest frame of a round is ${median(moved.map((each) => each.longest)).toFixed(0)} ms in the middle, the longest task ${worst(moved.map(({ task }) => task)).toFixed(0)} ms (0: none of 50).`
    ]
  }
}
