/** What a visitor of one app notices of the others that there are. */
import { join } from "node:path"
import { type Bench, figure, ratioAtLeast } from "../Figure.ts"
import * as Apps from "../parts/Apps.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const connections = 4
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const live = 100
const source = `export default { fetch: () => new Response("hello", { headers: { "content-type": "text/plain" } }) }\n`

/** A front with `registered` apps, of which up to 100 are live, all visited once. */
const openWith = async (folder: string, registered: number) => {
  const front = await Front.open(folder)
  const version = await front.install(Front.bundleOf(source, "2"))
  const pointer = Front.pointerTo(version("production"))
  const label = (number: number) => (number === 0 ? "shop" : `app-${number}`)
  // Versions are told apart by their commit, and their processes with them.
  front.rows.list = Array.from({ length: registered }, (_, number) => ({
    ...pointer,
    label: label(number),
    slug: label(number),
    commit: number.toString(16).padStart(40, "0")
  }))
  for (let number = 0; number < Math.min(registered, live); number += 1) {
    const headers = { host: `${label(number)}.apps.localhost` }
    const { status } = await Apps.visit(front.port, headers.host)
    if (status !== 200) throw new Error(`${headers.host} answered ${status}`)
  }
  return front
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const [one, hundred, thousand] = [
      await openWith(join(folder, "1"), 1),
      await openWith(join(folder, "100"), 100),
      await openWith(join(folder, "1000"), 1000)
    ]
    const load = (port: number) => () => Front.load(port, { connections, ms: loadMs })
    const sides = { one: load(one.port), hundred: load(hundred.port), thousand: load(thousand.port) }
    const runs = await lastly(inTurn<keyof typeof sides, Front.Loaded>(rounds, sides, say), async () => {
      await Promise.all([one.dispose(), hundred.dispose(), thousand.dispose()])
    })
    const rate = (side: keyof typeof sides) => runs[side].map(({ perSecond }) => perSecond)
    const among = (name: string, side: "hundred" | "thousand") =>
      figure({
        name,
        value: median(rate(side)),
        unit: "requests/s",
        floor: "the only app",
        floorValue: median(rate("one")),
        ratio: across(rate(side), rate("one")),
        target: ratioAtLeast(0.9)
      })
    return {
      figures: [among("one-of-100-apps", "hundred"), among("one-of-1000-apps", "thousand")],
      notes: [
        `${connections} connections for ${loadMs} ms each, to one app. Of 100 and of 1,000 apps, ${live} are live.`
      ]
    }
  })
