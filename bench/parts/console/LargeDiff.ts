/** A diff of 10,000 lines in 400 files: row 7 of the console's acceptance. */
import type { Page } from "playwright-core"
import * as Flow from "../../../packages/server/test/e2e/kit/Flow.ts"
import { figure, type Measured, valueAtMost } from "../../Figure.ts"
import { across, inTurn, lastly, median, worst } from "../../Rounds.ts"
import { live, signedIn, untilTrue, type World } from "./World.ts"

const [files, linesEach] = [400, 25]

const text = (file: number): string =>
  Array.from(
    { length: linesEach },
    (_, line) => `File ${file} line number ${line + 1} of many, as long as lines are\n`
  ).join("")

const largeChange = async ({ projects, server: { api } }: World) => {
  const change = await Flow.openChange(api, projects.shop, "Add all of the data")
  const all = Object.fromEntries(
    Array.from({ length: files }, (_, at) => [`data/${Math.floor(at / 20)}/file-${at}.txt`, text(at)])
  )
  await Flow.edit(api, change, all)
  const { id } = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  return { changeId: change.id, candidateId: id }
}

/** From the click on the tab: when the first line of the first file is drawn, and when all are there. In ms. */
const watchDiff = `(() => {
  const seen = (window.__diff = { clicked: 0, first: 0, whole: 0 })
  addEventListener("click", ({ timeStamp }) => { seen.clicked ||= timeStamp }, { capture: true })
  const drawn = (name) => requestAnimationFrame(() => setTimeout(() => { seen[name] ||= performance.now() }))
  new MutationObserver(() => {
    if (seen.first === 0 && document.querySelector(".diff-file ins.diff-line") !== null) drawn("first")
    if (seen.whole === 0 && document.querySelector('[data-whole="true"]') !== null) drawn("whole")
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-whole"] })
})()`

interface Drawn {
  readonly first: number
  readonly whole: number
}

const shown = async (page: Page, url: string): Promise<Drawn> => {
  await page.goto(url)
  await live(page)
  await page.evaluate(watchDiff)
  await page.getByRole("link", { name: "Diff", exact: true }).click()
  await untilTrue(page, "window.__diff.first > 0 && window.__diff.whole > 0")
  const { clicked, first, whole } = await page.evaluate<Drawn & { readonly clicked: number }>("window.__diff")
  return { first: first - clicked, whole: whole - clicked }
}

/** Milliseconds in which the browser has the same answer, read as JSON, with nothing drawn. */
const fetched = async (page: Page, url: string, candidateId: string): Promise<number> => {
  await page.goto(url)
  await live(page)
  return page.evaluate<number>(
    `(async () => { const began = performance.now(); await (await fetch("/v1/candidates/${candidateId}/diff")).json(); return performance.now() - began })()`
  )
}

/** Each round opens the tab Diff of an open Change once. */
export const measure = async (world: World): Promise<Measured> => {
  const { candidateId, changeId } = await largeChange(world)
  const { context, page } = await signedIn(world)
  const url = `${world.origin}/changes/${changeId}`
  const wholes: Array<number> = []
  const sides = {
    fetched: () => fetched(page, url, candidateId),
    shown: async (round: number) => {
      const { first, whole } = await shown(page, url)
      if (round > 0) wholes.push(whole)
      return first
    }
  }
  const times = await lastly(inTurn<keyof typeof sides, number>(world.rounds, sides, world.say), () => context.close())
  return {
    figures: [
      figure({
        name: "console-diff-first-file",
        value: median(times.shown),
        unit: "ms",
        floor: "a bare fetch of the same answer",
        floorValue: median(times.fetched),
        ratio: across(times.shown, times.fetched),
        target: valueAtMost(300, "ms")
      })
    ],
    notes: [
      `${files * linesEach} lines of ${files} files: from the click to the first file's lines (worst ${worst(times.shown).toFixed(0)} ms), and to all of them ${median(wholes).toFixed(0)} ms.`
    ]
  }
}
