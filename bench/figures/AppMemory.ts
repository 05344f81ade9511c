/** What one more live app takes of memory. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Bench, figure } from "../Figure.ts"
import * as Apps from "../parts/Apps.ts"
import * as BareWorkerd from "../parts/BareWorkerd.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { shareOf, workerds } from "../parts/Processes.ts"
import { lastly, median } from "../Rounds.ts"

const apps = 40
const visits = 20
const source = `export default { fetch: () => new Response("hello", { headers: { "content-type": "text/plain" } }) }\n`

const total = (): number => workerds().reduce((sum, pid) => sum + shareOf(pid), 0)

/** As many of them by hand, each visited as often: MiB of one. */
const byHand = async (folder: string): Promise<number> => {
  mkdirSync(folder)
  const config = BareWorkerd.writeApp(folder, source, Front.date)
  const running = []
  for (let count = 0; count < apps; count += 1) running.push(await BareWorkerd.start(config))
  for (const { port } of running)
    for (let visit = 0; visit < visits; visit += 1) await (await fetch(`http://127.0.0.1:${port}/`)).text()
  const each = total() / apps
  for (const { stop } of running) await stop()
  return each
}

const pawl = async (folder: string): Promise<{ readonly each: number; readonly ownRss: number }> => {
  const front = await Front.open(folder)
  const measure = async () => {
    const version = await front.install(Front.bundleOf(source, "2"))
    await front.runtime.runPromise(Apps.get(version("first"), "/"))
    await Apps.untilPoolIsFull(folder, 1)
    const before = { total: total(), rss: process.memoryUsage.rss() }
    for (let count = 0; count < apps; count += 1)
      for (let visit = 0; visit < visits; visit += 1)
        await front.runtime.runPromise(Apps.get(version(`memory-${count}`), "/"))
    await Apps.untilPoolIsFull(folder, apps + 1)
    return { each: (total() - before.total) / apps, ownRss: (process.memoryUsage.rss() - before.rss) / apps / 2 ** 20 }
  }
  return lastly(measure(), front.dispose)
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const [ours, floor, own]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
    for (let round = 1; round <= Math.min(rounds, 3); round += 1) {
      say(`round ${round}`)
      floor.push(await byHand(join(folder, `bare-${round}`)))
      const { each, ownRss } = await pawl(join(folder, `run-${round}`))
      ours.push(each)
      own.push(ownRss)
    }
    return {
      figures: [
        figure({
          name: "memory-per-live-app",
          value: median(ours),
          unit: "MiB",
          floor: "a bare workerd process",
          floorValue: median(floor),
          ratio: median(ours) / median(floor)
        })
      ],
      notes: [
        `${apps} apps, visited ${visits} times each; proportional set size of their processes. Three rounds at most.`,
        `The router's own process grows by ${median(own).toFixed(2)} MiB for each.`
      ]
    }
  })
