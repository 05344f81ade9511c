/** From a commit to its words in an open page: row 4 of the console's acceptance. */
import type { Page } from "playwright-core"
import * as Flow from "../../../packages/server/test/e2e/kit/Flow.ts"
import { token } from "../../../packages/server/test/e2e/kit/ServerProcess.ts"
import { figure, type Measured, valueAtMost } from "../../Figure.ts"
import { median, worst } from "../../Rounds.ts"
import { live, signedIn, type World } from "./World.ts"

/** Changes that go all the way, one after the other. */
const changes = Number(process.env["PAWL_BENCH_CHANGES_LIVE"] ?? 8)

/** When each step of the history was first on the page, by its clock; 0 for those that were there already. */
const watchSteps = `(() => {
  const seen = (window.__steps = [])
  const look = (at) => { while (seen.length < document.querySelectorAll(".steps > li").length) seen.push(at) }
  look(0)
  new MutationObserver(() => requestAnimationFrame(() => look(Date.now()))).observe(document.body, { childList: true, subtree: true })
})()`

interface Step {
  readonly id: string
  readonly to: string
  readonly at: string
}

/** Reads the same news without a page: when each was heard, by what moved and to where. */
const bareReader = (origin: string) => {
  const heard = new Map<string, number>()
  const end = new AbortController()
  const read = async () => {
    const headers = { accept: "text/event-stream", authorization: `Bearer ${token}` }
    const { body } = await fetch(`${origin}/v1/changes-of-state`, { headers, signal: end.signal })
    let rest = ""
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + piece).split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) {
        const data = /^data: ?(.*)$/m.exec(frame)?.[1]
        if (data === undefined) continue
        const { id, to }: Step = JSON.parse(data)
        if (!heard.has(`${id} ${to}`)) heard.set(`${id} ${to}`, Date.now())
      }
    }
  }
  const ended = read().catch((error: unknown) => {
    if (!end.signal.aborted) throw error
  })
  return { heard, stop: () => (end.abort(), ended) }
}

/** Has one Change go from a ChangeSet to its live page, while its history is open, and answers its steps beside when they were seen. */
const watched = async ({ origin, projects, server: { api } }: World, page: Page, name: string) => {
  const change = await Flow.openChange(api, projects.shop, name)
  await page.goto(`${origin}/changes/${change.id}/history`)
  await live(page)
  await page.locator(".steps > li").first().waitFor()
  await page.evaluate(watchSteps)
  await Flow.edit(api, change, { "public/note.txt": `${name}\n` })
  const { id } = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  const { generation } = await Flow.promote(api, id)
  await Flow.released(api, projects.shop, generation)
  const ofChange = () => api.get<{ items: ReadonlyArray<Step> }>(`/v1/changes/${change.id}/history?limit=100`)
  // What comes after the release goes live comes within a moment.
  const { items } = await Flow.until(ofChange, ({ items: steps }) => steps.some(({ to }) => to === "completed"))
  const seen = await Flow.until(
    () => page.evaluate<ReadonlyArray<number>>("window.__steps"),
    ({ length }) => length >= items.length
  )
  return items.flatMap((step, at) => (seen[at]! > 0 ? [{ ...step, ms: seen[at]! - Date.parse(step.at) }] : []))
}

/** One Change at work after the other, each step from its commit until it stands on the page. */
export const measure = async (world: World): Promise<Measured> => {
  const { context, page } = await signedIn(world)
  const reader = bareReader(world.server.origin)
  const steps: Array<Step & { readonly ms: number }> = []
  for (let at = 0; at < changes; at++) {
    world.say(`Change ${at + 1} of ${changes} goes live`)
    steps.push(...(await watched(world, page, `live-${at}`)))
  }
  await reader.stop()
  await context.close()
  const bare = steps.flatMap(({ at, id, to }) => {
    const heard = reader.heard.get(`${id} ${to}`)
    return heard === undefined ? [] : [heard - Date.parse(at)]
  })
  const p95 = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!
  const times = steps.map(({ ms }) => ms)
  const of = (name: string, pick: (values: ReadonlyArray<number>) => number, bound: number) =>
    figure({
      name,
      value: pick(times),
      unit: "ms",
      floor: "the same news read without a page",
      floorValue: pick(bare),
      ratio: pick(times) / pick(bare),
      target: valueAtMost(bound, "ms")
    })
  return {
    figures: [of("console-commit-to-text-p95", p95, 500), of("console-commit-to-text-max", worst, 1000)],
    notes: [
      `${times.length} steps of ${changes} Changes from their commit to their line in an open history; median ${median(times)} ms, without a page ${median(bare)} ms.`
    ]
  }
}
