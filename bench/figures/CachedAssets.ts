/** Requests per second for a static file of an app, from the router's memory, beside a bare Node server. */
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { join } from "node:path"
import { type Bench, figure, ratioAtLeast } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const connections = 16
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const bytes = Buffer.from(randomBytes(6 * 1024).toString("base64"), "latin1")

/** The same bytes and headers out of memory, and nothing else. */
const bareServer = () =>
  createServer((_req, res) => {
    res.writeHead(200, {
      etag: '"0123456789abcdef"',
      "cache-control": "public, max-age=0, must-revalidate",
      "content-type": "text/plain; charset=utf-8",
      "content-length": String(bytes.length)
    })
    res.end(bytes)
  })

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const front = await Front.open(join(folder, "run"))
    const assets = new Map([["note.txt", bytes]])
    const version = await front.install(Front.bundleOf(null, "2", assets), assets)
    front.rows.list = [Front.pointerTo(version("production"))]
    const bare = bareServer()
    const barePort = await Front.listen(bare)
    const load = (port: number) => () => Front.load(port, { path: "/note.txt", connections, ms: loadMs })
    const sides = { bare: load(barePort), front: load(front.port) }
    const runs = await lastly(inTurn<keyof typeof sides, Front.Loaded>(rounds, sides, say), async () => {
      await Promise.all([Front.close(bare), front.dispose()])
    })
    const rate = (side: keyof typeof sides) => runs[side].map(({ perSecond }) => perSecond)
    return {
      figures: [
        figure({
          name: "cached-assets",
          value: median(rate("front")),
          unit: "requests/s",
          floor: "bare Node server, bytes in memory",
          floorValue: median(rate("bare")),
          ratio: across(rate("front"), rate("bare")),
          target: ratioAtLeast(0.75)
        })
      ],
      notes: [`${connections} connections for ${loadMs} ms each; a file of ${bytes.length} bytes.`]
    }
  })
