/** The app runtime over stores in memory, and bundles put into it. */
import * as WorkerdAppRuntime from "@pawl/adapters-local/runtime/WorkerdAppRuntime"
import type { BuildResult } from "@pawl/core/bundle/AppBuilder"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { bundlePrefix } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import * as Assets from "@pawl/router/Assets"
import { Effect, Layer, References } from "effect"
import { readdirSync } from "node:fs"
import { request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

/** AppRuntime with its processes' folder under `folder`, and the stores around it. */
export const layer = (folder: string) =>
  WorkerdAppRuntime.layer({ folder }).pipe(
    Layer.provideMerge(Layer.mergeAll(Assets.layer, MemoryLedger.layerMemory)),
    Layer.provideMerge(MemoryObjectStore.layerMemory),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )

export type Built = Extract<BuildResult, { readonly _tag: "Built" }>

/** Stores a bundle. Each name is a version of its own, which no process has served yet. */
export const install = (built: Pick<Built, "bundle" | "assets" | "objects">) => {
  const { commit, project } = built.bundle
  return Effect.map(
    BundleStore.store(bundlePrefix("apps", project, commit), built),
    ({ digest, key }) =>
      (name: string): AppVersion => ({
        id: `${project}@${commit}#${name}`,
        project,
        channel: "production",
        bundleKey: key,
        bundleDigest: digest
      })
  )
}

const host = "shop.apps.localhost"

/** One GET of a host's home page over a port. */
export const visit = (port: number, name: string): Promise<{ readonly status: number }> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, headers: { host: name } }, (answer) => {
      answer.resume().once("end", () => resolve({ status: answer.statusCode ?? 0 }))
    })
    asked.once("error", reject).end()
  })

/** One GET, its body read to the end. */
export const get = (version: AppVersion, path: string) =>
  Effect.gen(function* () {
    const headers = [["host", host] as const, ["accept", "*/*"] as const]
    const request = { method: "GET", url: `http://${host}${path}`, headers, body: null }
    const response = yield* (yield* AppRuntime).fetch(version, request)
    const pieces: Array<Uint8Array> = []
    yield* Effect.promise(async () => {
      if (response.body !== null) for await (const piece of response.body) pieces.push(piece)
    })
    return { status: response.status, text: Buffer.concat(pieces).toString("utf8") }
  })

/** How many processes there are under a runtime's folder. */
const processes = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("/supervisor.sock")).length

/** Waits until `apps` run and the pool is full, as on a server where nobody has just started one. */
export const untilPoolIsFull = async (folder: string, apps = 0): Promise<void> => {
  for (let tries = 0; processes(folder) !== apps + LocalLimits.appWarmHosts; tries++) {
    if (tries > 2000) throw new Error(`the pool has ${processes(folder)} processes, not ${LocalLimits.appWarmHosts}`)
    await pause(5)
  }
  // A process has its folder a while before it waits for an app.
  await pause(200)
}
