/** Requests per second of one warm app through the whole front, beside bare workerd and a bare proxy. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { Agent, createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Bundle } from "@pawl/core/app/Bundle"
import type { Pointer } from "@pawl/core/app/Pointer"
import * as Routing from "@pawl/core/app/Routing"
import * as NodeFront from "@pawl/router/node/NodeFront"
import * as PointerCache from "@pawl/router/PointerCache"
import * as Router from "@pawl/router/Router"
import { Layer, ManagedRuntime } from "effect"
import { type Bench, figure } from "../Figure.ts"
import * as Apps from "../parts/Apps.ts"
import * as BareWorkerd from "../parts/BareWorkerd.ts"
import { withFolder } from "../parts/Folder.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const connections = 16
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const host = "shop.apps.localhost"
const project = "proj_00000000-0000-4000-8000-000000000002"
const commit = "2".repeat(40)
const now = "2026-01-01T00:00:00.000Z"
const date = "2026-01-01"
const source = `export default { fetch: () => new Response("hello", { headers: { "content-type": "text/plain" } }) }\n`

const bundle: Bundle = {
  version: 1,
  project,
  commit,
  tree: commit,
  builtAt: now,
  builder: { name: "bench", version: "1" },
  mainModule: "index.js",
  modules: {
    "index.js": { type: "esm", sha256: createHash("sha256").update(source).digest("hex"), content: source }
  },
  compatibilityDate: date,
  compatibilityFlags: [],
  assets: { notFoundHandling: "none", htmlHandling: "auto-trailing-slash", runWorkerFirst: false, manifest: {} }
}

const pointerTo = (stored: { readonly bundleKey: string; readonly bundleDigest: string }): Pointer => ({
  project_id: project,
  slug: "shop",
  label: "shop",
  channel: "production",
  incarnation: 1,
  commit,
  generation: 0,
  bundle_key: stored.bundleKey,
  bundle_digest: stored.bundleDigest,
  status: "live",
  reason: null,
  candidate_id: null,
  change_id: null,
  created_at: now,
  updated_at: now
})

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))
const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

interface Loaded {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
}

const program = fileURLToPath(new URL("../parts/Load.ts", import.meta.url))
const load = async (port: number): Promise<Loaded> => {
  const args = [program, String(port), host, "/", String(connections), String(loadMs)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { encoding: "utf8" })
  const loaded: Loaded = JSON.parse(stdout)
  if (loaded.failures > 0) throw new Error(`${loaded.failures} requests were not answered with 200`)
  return loaded
}

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

/** The whole front in this process, with the app's processes behind it. */
const openFront = async (folder: string) => {
  const rows: { list: ReadonlyArray<Pointer> } = { list: [] }
  const runtime = ManagedRuntime.make(
    Router.layer({ apiOrigin: "http://localhost" }).pipe(
      Layer.provideMerge(PointerCache.layer.pipe(Layer.provide(Routing.layerMemory(rows)))),
      Layer.provideMerge(Apps.layer(folder))
    )
  )
  const version = await runtime.runPromise(Apps.install({ bundle, assets: new Map(), objects: new Map() }))
  rows.list = [pointerTo(version("production"))]
  const server = createServer(NodeFront.serverOptions)
  NodeFront.attach(server, await runtime.runPromise(NodeFront.make))
  return { server, dispose: () => runtime.dispose() }
}

const told = (name: string, runs: ReadonlyArray<Loaded>): string =>
  `${name}: p50 ${median(runs.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(runs.map(({ p99 }) => p99)).toFixed(2)} ms`

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    mkdirSync(join(folder, "bare"))
    const bare = await BareWorkerd.start(BareWorkerd.writeApp(join(folder, "bare"), source, date))
    const proxy = proxyTo(bare.port)
    const front = await openFront(join(folder, "run"))
    const ports = { bare: bare.port, proxy: await listen(proxy), front: await listen(front.server) }
    const sides = {
      bare: () => load(ports.bare),
      proxy: () => load(ports.proxy),
      front: () => load(ports.front)
    }
    const runs = await lastly(inTurn<keyof typeof sides, Loaded>(rounds, sides, say), async () => {
      await Promise.all([close(proxy), close(front.server)])
      await Promise.all([front.dispose(), bare.stop()])
    })
    const rate = (side: keyof typeof sides) => runs[side].map(({ perSecond }) => perSecond)
    const against = (name: string, floor: string, side: "bare" | "proxy") =>
      figure({
        name,
        value: median(rate("front")),
        unit: "requests/s",
        floor,
        floorValue: median(rate(side)),
        ratio: across(rate("front"), rate(side))
      })
    return {
      figures: [
        against("warm-requests", "bare workerd", "bare"),
        against("warm-requests-proxied", "bare Node proxy to bare workerd", "proxy")
      ],
      notes: [
        `${connections} connections for ${loadMs} ms each; client, front and app share the machine's cores.`,
        told("through the front", runs.front),
        told("bare proxy", runs.proxy),
        told("bare workerd", runs.bare)
      ]
    }
  })
