/** A bundle with all its modules, each checked against its digest. */
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import * as BundleStore from "../bundle/BundleStore.ts"
import type { Bundle, BundleModule } from "../bundle/Bundle.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256, utf8 } from "../primitives/Digest.ts"
import { type AppVersion, AppRuntimeUnavailable, BundleUnusable } from "./AppRuntime.ts"

const moduleBytes = Effect.fnUntraced(function* (prefix: string, name: string, module: BundleModule) {
  if (module.content !== undefined) {
    if (module.type !== "data" && module.type !== "wasm") return utf8(module.content)
    const bytes = Base64.decode(module.content)
    return Result.isSuccess(bytes) ? bytes.success : yield* Effect.fail(`the module ${name} is damaged`)
  }
  if (module.object === undefined) return yield* Effect.fail(`the module ${name} has no content`)
  const objects = yield* ObjectStore
  const bytes = yield* objects.get(`${prefix}${module.object}`)
  const digest = yield* sha256(bytes)
  return digest === module.sha256 ? bytes : yield* Effect.fail(`the module ${name} is damaged`)
})

/** `modules` has the bytes of all of the bundle's modules, texts in UTF-8; it is empty for an app of assets alone. */
export interface LoadedBundle {
  readonly bundle: Bundle
  readonly modules: ReadonlyArray<readonly [name: string, type: BundleModule["type"], bytes: Uint8Array]>
}

const unusable = (version: AppVersion, reason: string) => new BundleUnusable({ version: version.id, reason })

/**
 * The bundle of a version and its modules, each checked against its digest. Fails with `BundleUnusable` for one that is
 * missing, damaged or has a compatibility flag that is not among the `allowedFlags`, and with `AppRuntimeUnavailable` when the object store cannot be read.
 */
export const loadBundle = (version: AppVersion, allowedFlags: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const { bundle } = yield* BundleStore.load(version.bundleKey, version.bundleDigest)
    if (bundle.mainModule === null) return { bundle, modules: [] }
    // The builder refuses them too. Here they would open parts of the runtime that no app may have.
    const flag = bundle.compatibilityFlags.find((one) => !allowedFlags.has(one))
    if (flag !== undefined) return yield* Effect.fail(`no app may have the compatibility flag ${flag}`)
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
        return new AppRuntimeUnavailable({ reason: `the object store: ${error.reason}`, away: error.lasting !== true })
      if (error._tag === "ObjectMissing") return unusable(version, `there is no ${error.key}`)
      return unusable(version, error.reason)
    })
  )
