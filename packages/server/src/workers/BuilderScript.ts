/**
 * The script of builds: an object for each, and in it a Worker that is loaded for this one build; and an object for each
 * layer of packages, which is fetched there. It has no route, and is bound to nothing of a Project's.
 */
import { BuilderObject } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import type { Options } from "@pawl/adapters-cloudflare/builder/LoaderAppBuilder"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import { LayerObject, type LayerOptions } from "@pawl/adapters-cloudflare/packages/LayerObject"
import type { WorkerLoader } from "@cloudflare/workers-types"
import code from "./bundler.txt"
import packages from "./packages.txt"
import wasm from "./esbuild.wasm"

const modules = { code, packages, wasm }

/** Bindings of the script. */
export interface BuilderBindings {
  readonly LOADER: WorkerLoader
  /** Packages of lock files. */
  readonly PACKAGES: Bucket
  /** Where they are fetched. */
  readonly REGISTRY: string
  /** Whether build commands are run elsewhere, by the checks' containers. */
  readonly COMMANDS: boolean
}

/** The object that one build lives in. */
export class Builder extends BuilderObject<BuilderBindings> {
  protected options(): Promise<Options> {
    const { COMMANDS: commands, LOADER: loader, PACKAGES } = this.env
    return Promise.resolve({ loader, modules, commands, packages: PACKAGES })
  }
}

/** The object that one layer of packages is made in. */
export class Layers extends LayerObject<BuilderBindings> {
  protected options(): Promise<LayerOptions> {
    const { LOADER: loader, PACKAGES: bucket, REGISTRY: registry } = this.env
    return Promise.resolve({ loader, modules, bucket, registry })
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
