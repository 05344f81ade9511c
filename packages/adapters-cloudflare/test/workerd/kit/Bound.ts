/** What the tests' Worker is bound to, by the types of Cloudflare. */
import { env } from "cloudflare:workers"
import type { DataStoreCalls } from "@pawl/adapters-cloudflare/appdata/DataStoreObject"
import type { BuildCalls } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import type { BundlerModules } from "@pawl/adapters-cloudflare/builder/BundlerModules"
import type { HintQueue } from "@pawl/adapters-cloudflare/hints/Hint"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import type { LayerCalls } from "@pawl/adapters-cloudflare/packages/LayerObject"
import type { WorkerLoader as AppLoader } from "@pawl/adapters-cloudflare/runtime/WorkerLoader"
import type { Fetcher, R2Bucket, WorkerLoader } from "@cloudflare/workers-types"

/** An object that hints come to. It refuses as many as its name says behind a `~`. */
export interface HintedCalls {
  readonly hinted: () => Promise<void>
  /** Told of each message for it that its queue gave up. */
  readonly died: (body: unknown) => Promise<void>
  /** How many came, and what its queue gave up. */
  readonly seen: () => Promise<{ readonly came: number; readonly dead: ReadonlyArray<unknown> }>
}

export interface Bound {
  readonly BUCKET: R2Bucket & Bucket
  /** Packages of lock files. */
  readonly PACKAGES: Bucket
  readonly LOADER: WorkerLoader & AppLoader
  /** Objects whose storage a test uses. */
  readonly STORE: { readonly getByName: (name: string) => object }
  /** Objects that are stores of app data. */
  readonly DATA: { readonly getByName: (name: string) => DataStoreCalls }
  readonly HINTS: HintQueue
  /** Objects that hints come to. */
  readonly HINTED: { readonly getByName: (name: string) => HintedCalls }
  /** What lies on this machine, for builds. */
  readonly MACHINE: Fetcher
  /** Objects of layers, whose names are made by `layersName`. */
  readonly LAYERS: { readonly getByName: (name: string) => LayerCalls }
  /** Objects of builds. */
  readonly BUILDER: { readonly getByName: (name: string) => BuildCalls }
}

/** The bindings of `WorkerdOptions`. */
export const bound = env as Bound

/** What the Worker of a build is made of. */
export const bundlerModules = async ({ MACHINE }: Pick<Bound, "MACHINE">): Promise<BundlerModules> => {
  const [code, wasm, packages] = await Promise.all(
    ["code", "wasm", "packages"].map((part) => MACHINE.fetch(`http://machine/${part}`))
  )
  return { code: await code!.text(), wasm: await wasm!.arrayBuffer(), packages: await packages!.text() }
}
