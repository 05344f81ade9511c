/** A server that is killed beneath an open page, and comes back: row 9 of the console's acceptance. */
import type { Page } from "playwright-core"
import { originOf, signInAt } from "../../../packages/console/test/browser/kit/SignIn.ts"
import { startServer } from "../../../packages/server/test/e2e/kit/ServerProcess.ts"
import type { Measured } from "../../Figure.ts"
import { lastly, median, worst } from "../../Rounds.ts"
import { withFolder } from "../Folder.ts"
import { bounded, live, untilTrue, type World } from "./World.ts"

/** Kills at most: each waits until the page has said it. */
const most = 5

/** When the page first says that what it shows is of before. */
const watchNotice = `(() => {
  window.__told = 0
  const watcher = new MutationObserver(() => {
    if (document.querySelector(".notice") === null) return
    watcher.disconnect()
    requestAnimationFrame(() => { window.__told = Date.now() })
  })
  watcher.observe(document.body, { childList: true, subtree: true })
})()`

interface Round {
  readonly toldMs: number
  readonly backMs: number
}

/** A server of its own, for the others of this world go on. */
const killed = async (page: Page, data: string, port: number, kill: () => Promise<unknown>) => {
  await page.evaluate(watchNotice)
  const at = Date.now()
  await kill()
  await untilTrue(page, "window.__told > 0")
  const toldMs = (await page.evaluate<number>("window.__told")) - at
  const server = await startServer({ data, environment: { PAWL_PORT: String(port) } })
  const ready = performance.now()
  await live(page)
  return { server, round: { toldMs, backMs: performance.now() - ready } satisfies Round }
}

/** Each round kills it once, and starts it again on its folder and its port. */
export const measure = ({ browser, rounds, say }: World): Promise<Measured> =>
  withFolder(async (data) => {
    let server = await startServer({ data })
    const { port } = server
    const { context, page } = await signInAt(browser, server, "/projects")
    const all: Array<Round> = []
    await lastly(
      (async () => {
        await page.goto(`${originOf(server)}/projects`)
        await live(page)
        for (let round = 1; round <= Math.min(rounds, most); round++) {
          say(`kill ${round}`)
          const next = await killed(page, data, port, () => server.stop("SIGKILL"))
          server = next.server
          all.push(next.round)
        }
      })(),
      async () => {
        await context.close()
        await server.stop()
      }
    )
    return {
      figures: [bounded("console-killed-told", worst(all.map(({ toldMs }) => toldMs)), "ms", 5000)],
      notes: [
        `A server killed ${all.length} times: a page that was open says so after ${median(all.map(({ toldMs }) => toldMs)).toFixed(0)} ms in the middle, and is live again ${median(all.map(({ backMs }) => backMs)).toFixed(0)} ms after the server is.`
      ]
    }
  })
