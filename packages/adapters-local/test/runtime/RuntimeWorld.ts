/** A workerd runtime with stores in memory, and a way to install apps in it from their source. */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AppData } from "@pawl/core/app/AppData"
import { type AppLogs } from "@pawl/core/app/AppLogs"
import { type AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { Bundle, bundlePrefix } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { type ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Assets from "@pawl/router/Assets"
import { Effect, Layer, ManagedRuntime, References, Schema } from "effect"
import * as WorkerdAppRuntime from "../../src/runtime/WorkerdAppRuntime.ts"

export interface AppSource {
  /** Null: an app of assets alone. */
  readonly main: string | null
  readonly modules?: Bundle["modules"]
  readonly objects?: Readonly<Record<string, Uint8Array>>
  readonly assets?: Readonly<Record<string, string>>
  readonly date?: string
  readonly flags?: ReadonlyArray<string>
  readonly channel?: string
}

export const project = "proj_00000000-0000-4000-8000-000000000001"
export const hex = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const bundleOf = (source: AppSource, commit: string) =>
  Schema.decodeUnknownSync(Bundle)({
    version: 1,
    project,
    commit,
    tree: commit,
    builtAt: "2026-01-01T00:00:00.000Z",
    builder: { name: "test", version: "1" },
    mainModule: source.main === null ? null : "src/index.js",
    modules: {
      ...(source.main === null
        ? {}
        : { "src/index.js": { type: "esm", sha256: hex(source.main), content: source.main } }),
      ...source.modules
    },
    compatibilityDate: source.date ?? "2026-10-01",
    compatibilityFlags: source.flags ?? [],
    assets: {
      notFoundHandling: "none",
      htmlHandling: "auto-trailing-slash",
      runWorkerFirst: false,
      manifest: Object.fromEntries(
        Object.entries(source.assets ?? {}).map(([path, text]) => [
          path,
          { sha256: hex(text), size: Buffer.byteLength(text), contentType: "text/plain" }
        ])
      )
    }
  })

/** Stores the app's bundle; the commit is made of its name. */
export const install = (source: AppSource, name: string): Effect.Effect<AppVersion, never, ObjectStore> => {
  const commit = hex(name).slice(0, 40)
  const assets = new Map(Object.entries(source.assets ?? {}).map(([path, text]) => [path, Buffer.from(text)]))
  const objects = new Map(Object.entries(source.objects ?? {}))
  return BundleStore.store(bundlePrefix("apps", project, commit), {
    bundle: bundleOf(source, commit),
    assets,
    objects
  }).pipe(
    Effect.map(({ digest, key }) => ({
      id: name,
      project,
      channel: source.channel ?? "production",
      bundleKey: key,
      bundleDigest: digest
    })),
    Effect.orDie
  )
}

/**
 * CPU time for tests that are about something else, which is what a world gives unless it is told otherwise: where a
 * machine's cores are shared with others, all that its kernel does for a request counts many times over.
 */
const muchCpu = { firstCpuMs: 3000, cpuMs: 1000 }

/** The CPU time of the specification, for tests that are about it. */
export const specifiedCpu = { firstCpuMs: LocalLimits.appFirstCpuMs, cpuMs: LocalLimits.appCpuMs }

export const freshFolder = (): string => mkdtempSync(join(tmpdir(), "pawl-apps-"))
const ownFolder = Effect.acquireRelease(Effect.sync(freshFolder), (folder) =>
  Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The runtime over a store, in a folder of its own unless one is given. */
export const runtimeLayer = (objects: Layer.Layer<ObjectStore>, options: Partial<WorkerdAppRuntime.Options> = {}) =>
  Layer.unwrap(
    Effect.map(options.folder === undefined ? ownFolder : Effect.succeed(options.folder), (folder) =>
      WorkerdAppRuntime.layer({ ...options, bounds: { ...muchCpu, ...options.bounds }, folder })
    )
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Assets.layer, MemoryLedger.layerMemory)),
    Layer.provideMerge(objects),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )

export const memoryObjects = (): Layer.Layer<ObjectStore> => MemoryObjectStore.layerMemory

/** Starts a runtime; dispose it at the end. */
export const openWorld = (options: Partial<WorkerdAppRuntime.Options> = {}) =>
  ManagedRuntime.make<AppRuntime | ObjectStore | AppData | AppLogs, unknown>(runtimeLayer(memoryObjects(), options))
export type World = ReturnType<typeof openWorld>
