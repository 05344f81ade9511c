/** The app runtime over stores in memory, and bundles put into it. */
import * as WorkerdAppRuntime from "@pawl/adapters-local/runtime/WorkerdAppRuntime"
import type { BuildResult } from "@pawl/core/app/AppBuilder"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { bundlePrefix } from "@pawl/core/app/Bundle"
import * as BundleStore from "@pawl/core/app/BundleStore"
import * as MemoryLedger from "@pawl/core/ledger/MemoryLedger"
import * as MemoryObjectStore from "@pawl/core/objects/MemoryObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Assets from "@pawl/router/Assets"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { readdirSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

/** AppRuntime with its processes' folder under `folder`, and the stores around it. */
export const layer = (folder: string) =>
  WorkerdAppRuntime.layer({ folder }).pipe(
    Layer.provideMerge(Layer.mergeAll(Assets.layer, MemoryLedger.layerMemory)),
    Layer.provideMerge(MemoryObjectStore.layerMemory),
    Layer.provide(Logger.minimumLogLevel(LogLevel.Warning))
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

/** How many processes listen under a runtime's folder. */
const listening = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("/app.sock")).length

/** Waits until no app runs and the pool is full, as on a server where nobody has just started one. */
export const untilPoolIsFull = async (folder: string): Promise<void> => {
  for (let tries = 0; listening(folder) !== Limits.appWarmHosts; tries++) {
    if (tries > 2000) throw new Error(`the pool has ${listening(folder)} processes, not ${Limits.appWarmHosts}`)
    await pause(5)
  }
  // A socket has its name a moment before workerd listens on it and the supervisor knows.
  await pause(100)
}
