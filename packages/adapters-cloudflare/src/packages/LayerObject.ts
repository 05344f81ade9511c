/**
 * The object that one layer of packages is made in, of a script that is bound to no Project: it alone reaches the registry,
 * and archives are unpacked in a Worker that reaches nothing. What it makes lies in a bucket of packages.
 */
import { DurableObject } from "cloudflare:workers"
import type { WorkerLoader } from "@cloudflare/workers-types"
import type { OrderedPackage } from "@pawl/adapters-local/packages/InstallMessages"
import { over } from "@pawl/adapters-local/packages/RegistryClient"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { type LayeredPackage, type PackageProblem, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Effect, Schema, Semaphore } from "effect"
import { type BundlerModules, loadedCode } from "../builder/BundlerModules.ts"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { Bucket } from "../objects/Bucket.ts"
import * as R2ObjectStore from "../objects/R2ObjectStore.ts"
import { line } from "./FetchLine.ts"
import { keptLayer } from "./KeptPackages.ts"
import { type LayerMaking, made } from "./LayerMaking.ts"
import type { unpacked } from "./UnpackAnswers.ts"
import { UnpackAnswer } from "./UnpackMessages.ts"

/** What comes of one call, over RPC, on which errors lose their fields. */
export type LayerTold =
  | { readonly _tag: "Layer"; readonly packages: ReadonlyArray<LayeredPackage> }
  /** So much was fetched as one call may: the next goes on. */
  | { readonly _tag: "More" }
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<PackageProblem> }
  | { readonly _tag: "Away"; readonly reason: string }

/** What may be asked of the object of a layer. */
export interface LayerCalls {
  /** The layer of this lock, under the id that is the object's name. */
  readonly layer: (id: string, lock: PackageLock) => Promise<LayerTold>
}

/** Where packages come from, and where they go. */
export interface LayerOptions {
  readonly loader: WorkerLoader
  readonly modules: BundlerModules
  readonly bucket: Bucket
  /** The registry's URL, by `registryAddress`. */
  readonly registry: string
  /** The first wait between two tries, in milliseconds. Default: that of `CloudflareLimits`. */
  readonly backoffMs?: number
}

interface Unpacking {
  readonly unpack: (archive: Uint8Array, wanted: OrderedPackage, maxBytes: number) => ReturnType<typeof unpacked>
}

const isUnpacking = (entry: object): entry is Unpacking => "unpack" in entry

/** Unpacks in one Worker, which nobody gets again. */
const unpacking = ({ loader, modules }: LayerOptions): LayerMaking["unpack"] => {
  const limits = { cpuMs: CloudflareLimits.packagesCpuMs, subRequests: 0 }
  const entry = loader.load(loadedCode(modules, limits)).getEntrypoint()
  // One at a time: each is held whole, with all that it unpacks to.
  const alone = Semaphore.makeUnsafe(1)
  return (archive, wanted) =>
    Effect.tryPromise({
      try: async () => {
        if (!isUnpacking(entry)) throw new Error("the Worker that unpacks takes no archives")
        const answer = await entry.unpack(archive, wanted, CloudflareLimits.keptPackageBytes)
        return Schema.decodeUnknownSync(UnpackAnswer)(answer)
      },
      catch: () => new PackagesUnavailable({ reason: `what unpacks packages ended early, at ${wanted.name}` })
    }).pipe(alone.withPermits(1))
}

/** A script names its own class below this one, which says where packages come from. */
export abstract class LayerObject<Env> extends DurableObject<Env> implements LayerCalls {
  private readonly turn = Semaphore.makeUnsafe(1)
  private readonly known: LayerMaking["known"] = new Map()

  /** Where packages come from, and where they go. */
  protected abstract options(): Promise<LayerOptions>

  private made(id: string, lock: PackageLock, options: LayerOptions) {
    const registry = over({
      registry: new URL(options.registry),
      line: line(CloudflareLimits.keptAnswerMs),
      backoffMs: options.backoffMs ?? CloudflareLimits.keptBackoffMs,
      connections: CloudflareLimits.packagesAtOnce,
      archiveBytes: CloudflareLimits.keptArchiveBytes,
      packumentBytes: CloudflareLimits.keptPackumentBytes
    })
    return made({ registry, unpack: unpacking(options), known: this.known }, id, lock)
  }

  private told(id: string, lock: PackageLock, options: LayerOptions): Effect.Effect<LayerTold> {
    return Effect.gen({ self: this }, function* () {
      const layer = (yield* keptLayer(id)) ?? (yield* this.made(id, lock, options))
      return layer === null ? ({ _tag: "More" } as const) : ({ _tag: "Layer", packages: layer.packages } as const)
    }).pipe(
      Effect.catch((failure) =>
        Effect.succeed<LayerTold>(
          failure._tag === "PackagesRefused"
            ? { _tag: "Refused", problems: failure.problems }
            : { _tag: "Away", reason: failure._tag === "PackagesUnavailable" ? failure.reason : failure.message }
        )
      ),
      Effect.provide(R2ObjectStore.layer(options.bucket)),
      // What was kept meanwhile may be gone by the next time.
      Effect.tap(({ _tag }) => Effect.sync(() => _tag === "More" || this.known.clear())),
      this.turn.withPermits(1)
    )
  }

  async layer(id: string, lock: PackageLock): Promise<LayerTold> {
    return Effect.runPromise(this.told(id, lock, await this.options()))
  }
}
