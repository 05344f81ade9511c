/** What the tests' Worker is bound to, by the types of Cloudflare. */
import { env } from "cloudflare:workers"
import type { BuildCalls } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import type { BundlerModules } from "@pawl/adapters-cloudflare/builder/LoaderAppBuilder"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import type { WorkerLoader as AppLoader } from "@pawl/adapters-cloudflare/runtime/WorkerLoader"
import type { Fetcher, R2Bucket, WorkerLoader } from "@cloudflare/workers-types"

export interface Bound {
  readonly BUCKET: R2Bucket & Bucket
  readonly LOADER: WorkerLoader & AppLoader
  /** Objects whose storage a test uses. */
  readonly STORE: { readonly getByName: (name: string) => object }
  /** What lies on this machine, for builds. */
  readonly MACHINE: Fetcher
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
