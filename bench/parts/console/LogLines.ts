/** An app that prints a hundred lines in a second, followed for a minute: row 7 of the console's acceptance. */
import { setTimeout as pause } from "node:timers/promises"
import type * as Flow from "../../../packages/server/test/e2e/kit/Flow.ts"
import type { Measured } from "../../Figure.ts"
import { worst } from "../../Rounds.ts"
import { bounded, signedIn, type World } from "./World.ts"

const seconds = Number(process.env["PAWL_BENCH_LOG_S"] ?? 60)
const [perSecond, perVisit] = [100, 10]
const storedMs = 2000

/** Rows on the page, and the number of the last line among them. */
const look = `(() => {
  const rows = document.querySelectorAll(".log-line, .log-gap")
  const texts = [...document.querySelectorAll(".log-line .log-text")].map(({ textContent }) => Number(/line (\\d+)/.exec(textContent)?.[1] ?? -1))
  return { rows: rows.length, last: Math.max(-1, ...texts), gaps: document.querySelectorAll(".log-gap").length }
})()`

interface Looked {
  readonly rows: number
  readonly last: number
  readonly gaps: number
}

/** A hundred lines in each second, looked at once a second. */
export const measure = async (world: World): Promise<Measured> => {
  const { api } = world.server
  const { context, page } = await signedIn(world)
  const { app } = await api.get<{ app: Flow.App }>(`/v1/projects/${world.projects.shop}/app`)
  const print = (from: number, lines: number) => api.page(`${app.url}?from=${from}&lines=${lines}`)
  await print(0, perVisit)
  await page.goto(`${world.origin}/p/shop/logs`)
  await page.locator(".log-line").first().waitFor()
  const seen: Array<Looked> = []
  const total = seconds * perSecond
  const began = performance.now()
  for (let from = perVisit; from < total; from += perVisit) {
    const wait = began + (from * 1000) / perSecond - performance.now()
    if (wait > 0) await pause(wait)
    await print(from, perVisit)
    if (from % (10 * perSecond) === 0) world.say(`${from} of ${total} lines`)
    if (from % perSecond === 0) seen.push(await page.evaluate<Looked>(look))
  }
  // Lines are stored and sent within a moment; those over the bound of an app are left out, and said.
  await pause(storedMs)
  const end = await page.evaluate<Looked>(look)
  await context.close()
  return {
    figures: [bounded("console-log-rows", worst([...seen, end].map(({ rows }) => rows)), "rows", 1000)],
    notes: [
      `${total} lines printed in ${((performance.now() - began) / 1000).toFixed(0)} s; at the end the page shows up to line ${end.last} of ${total - 1}, with ${end.gaps} places where it says that some are missing.`
    ]
  }
}
