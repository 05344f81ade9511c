/** Requests per second of one warm app through the whole front, beside bare workerd and a bare proxy. */
import { mkdirSync } from "node:fs"
import { Agent, createServer, request, type Server } from "node:http"
import { join } from "node:path"
import { type Bench, figure, ratioAtLeast, ratioAtMost } from "../Figure.ts"
import * as BareWorkerd from "../parts/BareWorkerd.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const connections = 16
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const source = `export default { fetch: () => new Response("hello", { headers: { "content-type": "text/plain" } }) }\n`

/** What a proxy cannot do without, and nothing else. */
const proxyTo = (port: number): Server => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return createServer((req, res) => {
    const { headers, method, url } = req
    const onward = request({ host: "127.0.0.1", port, agent, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    onward.once("error", () => res.destroy())
    req.pipe(onward)
  })
}

const told = (name: string, runs: ReadonlyArray<Front.Loaded>): string =>
  `${name}: p50 ${median(runs.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(runs.map(({ p99 }) => p99)).toFixed(2)} ms`

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    mkdirSync(join(folder, "bare"))
    const bare = await BareWorkerd.start(BareWorkerd.writeApp(join(folder, "bare"), source, Front.date))
    const proxy = proxyTo(bare.port)
    const front = await Front.open(join(folder, "run"))
    const version = await front.install(Front.bundleOf(source, "2"))
    front.rows.list = [Front.pointerTo(version("production"))]
    const proxyPort = await Front.listen(proxy)
    const load = (port: number) => () => Front.load(port, { connections, ms: loadMs })
    const sides = { bare: load(bare.port), proxy: load(proxyPort), front: load(front.port) }
    const runs = await lastly(inTurn<keyof typeof sides, Front.Loaded>(rounds, sides, say), async () => {
      await Promise.all([Front.close(proxy), front.dispose(), bare.stop()])
    })
    const rate = (side: keyof typeof sides) => runs[side].map(({ perSecond }) => perSecond)
    const p99 = (side: keyof typeof sides) => runs[side].map((one) => one.p99)
    const proxyFloor = "bare Node proxy to bare workerd"
    return {
      figures: [
        figure({
          name: "warm-requests",
          value: median(rate("front")),
          unit: "requests/s",
          floor: "bare workerd",
          floorValue: median(rate("bare")),
          ratio: across(rate("front"), rate("bare"))
        }),
        figure({
          name: "warm-requests-proxied",
          value: median(rate("front")),
          unit: "requests/s",
          floor: proxyFloor,
          floorValue: median(rate("proxy")),
          ratio: across(rate("front"), rate("proxy")),
          target: ratioAtLeast(0.85)
        }),
        figure({
          name: "warm-requests-p99",
          value: median(p99("front")),
          unit: "ms",
          floor: proxyFloor,
          floorValue: median(p99("proxy")),
          ratio: across(p99("front"), p99("proxy")),
          target: ratioAtMost(2)
        })
      ],
      notes: [
        `${connections} connections for ${loadMs} ms each; client, front and app share the machine's cores.`,
        told("through the front", runs.front),
        told("bare proxy", runs.proxy),
        told("bare workerd", runs.bare)
      ]
    }
  })
