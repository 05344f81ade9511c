/** A bundle in the form in which a host process takes it. */
import * as BundleStore from "@pawl/core/app/BundleStore"
import { type AppVersion, AppRuntimeUnavailable, BundleUnusable } from "@pawl/core/app/AppRuntime"
import type { Bundle, BundleModule } from "@pawl/core/app/Bundle"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"

/** The compatibility flags the app runs with: Node's API only where asked for, and bindings that are RPC at any date. */
export const flagsOf = (asked: ReadonlyArray<string>): ReadonlyArray<string> => {
  const node = asked.includes("nodejs_compat") || asked.includes("nodejs_compat_v2")
  return [
    ...new Set([
      ...asked,
      "rpc",
      "fetcher_no_get_put_delete",
      ...(node ? [] : ["no_nodejs_compat", "no_nodejs_compat_v2"])
    ])
  ]
}

/** Index and modules in one buffer, as `Control` of the host worker reads it. */
export const encodeFrame = (mark: string, bundle: Bundle, modules: LoadedBundle["modules"]): Buffer => {
  const index = Buffer.from(
    JSON.stringify({
      mark,
      code: {
        mainModule: bundle.mainModule,
        compatibilityDate: bundle.compatibilityDate,
        compatibilityFlags: flagsOf(bundle.compatibilityFlags)
      },
      modules: modules.map(([name, type, bytes]) => [name, type, bytes.length])
    })
  )
  const length = Buffer.alloc(4)
  length.writeUInt32BE(index.length)
  return Buffer.concat([length, index, ...modules.map(([, , bytes]) => bytes)])
}

const moduleBytes = (prefix: string, name: string, module: BundleModule) =>
  Effect.gen(function* () {
    if (module.content !== undefined)
      return Buffer.from(module.content, module.type === "data" || module.type === "wasm" ? "base64" : "utf8")
    if (module.object === undefined) return yield* Effect.fail(`the module ${name} has no content`)
    const objects = yield* ObjectStore
    const bytes = yield* objects.get(`${prefix}${module.object}`)
    const digest = yield* sha256(bytes)
    return digest === module.sha256 ? bytes : yield* Effect.fail(`the module ${name} is damaged`)
  })

export interface LoadedBundle {
  readonly bundle: Bundle
  readonly modules: ReadonlyArray<readonly [name: string, type: string, bytes: Uint8Array]>
}

const unusable = (version: AppVersion, reason: string) => new BundleUnusable({ version: version.id, reason })

/** The bundle of a version, checked against its digest; its modules too. `modules` is empty for an app of assets alone. */
export const loadBundle = (version: AppVersion) =>
  Effect.gen(function* () {
    const { bundle } = yield* BundleStore.load(version.bundleKey, version.bundleDigest)
    if (bundle.mainModule === null) return { bundle, modules: [] }
    const prefix = version.bundleKey.slice(0, version.bundleKey.lastIndexOf("/") + 1)
    const modules = yield* Effect.forEach(
      Object.entries(bundle.modules),
      ([name, module]) => Effect.map(moduleBytes(prefix, name, module), (bytes) => [name, module.type, bytes] as const),
      { concurrency: 8 }
    )
    return { bundle, modules }
  }).pipe(
    Effect.mapError((error) => {
      if (typeof error === "string") return unusable(version, error)
      if (error._tag === "ObjectStoreUnavailable")
        return new AppRuntimeUnavailable({ reason: `the object store: ${error.reason}` })
      if (error._tag === "ObjectMissing") return unusable(version, `there is no ${error.key}`)
      return unusable(version, error.reason)
    })
  )
