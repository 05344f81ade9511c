/** The script of builds: an object for each, and in it a Worker that is loaded for this one build. It has no route. */
import { BuilderObject } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import type { Options } from "@pawl/adapters-cloudflare/builder/LoaderAppBuilder"
import type { WorkerLoader } from "@cloudflare/workers-types"
import code from "./bundler.txt"
import packages from "./packages.txt"
import wasm from "./esbuild.wasm"

/** Bindings of the script. */
export interface BuilderBindings {
  readonly LOADER: WorkerLoader
  /** Whether build commands are run elsewhere, by the checks' containers. */
  readonly COMMANDS: boolean
}

/** The object that one build lives in. */
export class Builder extends BuilderObject<BuilderBindings> {
  protected options(): Promise<Options> {
    return Promise.resolve({ loader: this.env.LOADER, modules: { code, wasm, packages }, commands: this.env.COMMANDS })
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
