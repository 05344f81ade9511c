/** The whole front in this process, with small apps behind it, and the load that it is put under. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { Bundle } from "@pawl/core/bundle/Bundle"
import type { Pointer } from "@pawl/core/model/Pointer"
import { ReleaseTrust, type ReleaseTrustShape } from "@pawl/core/provenance/TrustedKeys"
import * as MemoryPointerSource from "@pawl/adapters-memory/MemoryPointerSource"
import * as NodeFront from "@pawl/router/node/NodeFront"
import * as PointerCache from "@pawl/router/PointerCache"
import * as Router from "@pawl/router/Router"
import { Layer, ManagedRuntime } from "effect"
import * as Apps from "./Apps.ts"

export const host = "shop.apps.localhost"
export const project = "proj_00000000-0000-4000-8000-000000000002"
export const date = "2026-01-01"
const now = "2026-01-01T00:00:00.000Z"

const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A bundle of one module and of assets; `digit` makes its commit. */
export const bundleOf = (
  source: string | null,
  digit: string,
  assets: ReadonlyMap<string, Uint8Array> = new Map()
): Bundle => ({
  version: 1,
  project,
  commit: digit.repeat(40),
  tree: digit.repeat(40),
  builtAt: now,
  builder: { name: "bench", version: "1" },
  mainModule: source === null ? null : "index.js",
  modules: source === null ? {} : { "index.js": { type: "esm", sha256: sha256(source), content: source } },
  compatibilityDate: date,
  compatibilityFlags: [],
  assets: {
    notFoundHandling: "none",
    htmlHandling: "auto-trailing-slash",
    runWorkerFirst: false,
    manifest: Object.fromEntries(
      [...assets].map(([path, bytes]) => [
        path,
        { sha256: sha256(bytes), size: bytes.length, contentType: "text/plain; charset=utf-8" }
      ])
    )
  }
})

/** A live row of a label, which serves a version. */
export const pointerTo = ({ bundleDigest, bundleKey }: AppVersion, label = "shop"): Pointer => ({
  projectId: project,
  slug: label,
  label,
  channel: "production",
  incarnation: 1,
  commit: "2".repeat(40),
  generation: 0,
  bundleKey,
  bundleDigest,
  status: "live",
  reason: null,
  candidateId: null,
  changeId: null,
  createdAt: now,
  updatedAt: now
})

export const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))
export const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** How a router looks at the statements of rows: by what is told, else not at all. */
const trusting = (trust: ReleaseTrustShape | undefined) =>
  trust === undefined ? Layer.empty : Layer.succeed(ReleaseTrust, trust)

/** Router, pointers in a list that the caller fills, and apps with their processes under `folder`. */
export const open = async (folder: string, trust?: ReleaseTrustShape) => {
  const rows: { list: ReadonlyArray<Pointer> } = { list: [] }
  const runtime = ManagedRuntime.make(
    Router.layer({ apiOrigin: "http://localhost" }).pipe(
      Layer.provideMerge(PointerCache.layer.pipe(Layer.provide(MemoryPointerSource.layerMemory(rows)))),
      Layer.provideMerge(Apps.layer(folder)),
      Layer.provide(trusting(trust))
    )
  )
  const install = (bundle: Bundle, assets: ReadonlyMap<string, Uint8Array> = new Map()) =>
    runtime.runPromise(Apps.install({ bundle, assets, objects: new Map() }))
  const server = createServer(NodeFront.serverOptions)
  NodeFront.attach(server, await runtime.runPromise(NodeFront.make))
  const port = await listen(server)
  const dispose = async () => {
    await close(server)
    await runtime.dispose()
  }
  return { rows, runtime, install, port, dispose }
}

export interface Loaded {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
}

export interface LoadOptions {
  /** Default: the app's own host. */
  readonly host?: string
  readonly path?: string
  /** Sent as a bearer token. */
  readonly token?: string
  readonly connections: number
  readonly ms: number
}

const program = fileURLToPath(new URL("./Load.ts", import.meta.url))

/** Asks a port from a process of its own. Throws when a request was not answered with 200, unless they are `counted`. */
export const load = async (port: number, options: LoadOptions, counted = false): Promise<Loaded> => {
  const [at, path] = [options.host ?? host, options.path ?? "/"]
  const args = [program, String(port), at, path, String(options.connections), String(options.ms), options.token ?? ""]
  const { stdout } = await promisify(execFile)(process.execPath, args, { encoding: "utf8" })
  const loaded: Loaded = JSON.parse(stdout)
  if (loaded.failures > 0 && !counted) throw new Error(`${loaded.failures} requests were not answered with 200`)
  return loaded
}
