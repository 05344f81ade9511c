/**
 * The script of builds: an object for each, and in it a Worker that is loaded for this one build; an object for each layer of
 * packages, which is fetched there; what reads of a source how it is built; and the templates. It has no route, and is bound to
 * nothing of a Project's.
 */
import { WorkerEntrypoint } from "cloudflare:workers"
import { BuilderObject } from "@pawl/adapters-cloudflare/builder/BuilderObject"
import type { Options } from "@pawl/adapters-cloudflare/builder/LoaderAppBuilder"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import { sourceAnswers } from "@pawl/adapters-cloudflare/builder/SourceAnswers"
import type { SourceCalls, SourceOutline } from "@pawl/adapters-cloudflare/builder/SourceOutline"
import { LayerObject, type LayerOptions } from "@pawl/adapters-cloudflare/packages/LayerObject"
import type { ManifestFiles } from "@pawl/core/packages/PackageStore"
import type { FileEdits } from "@pawl/core/project/Repositories"
import type { TemplateName } from "@pawl/core/project/Templates"
import type { WorkerLoader } from "@cloudflare/workers-types"
import type { TemplateCalls } from "./Bindings.ts"
import code from "./bundler.txt"
import packages from "./packages.txt"
import wasm from "./esbuild.wasm"
import templates from "./templates.txt"

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

/** Reads sources, and has those that a Project can begin with: one text of JSON, their files by name. */
export class Sources extends WorkerEntrypoint<BuilderBindings> implements SourceCalls, TemplateCalls {
  private answers(): SourceCalls {
    return sourceAnswers(this.env.COMMANDS)
  }

  commandOf(outline: SourceOutline) {
    return this.answers().commandOf(outline)
  }

  assetsFolder(settings: ReadonlyMap<string, Uint8Array>, folders: ReadonlySet<string>) {
    return this.answers().assetsFolder(settings, folders)
  }

  readLock(files: ManifestFiles) {
    return this.answers().readLock(files)
  }

  template(name: TemplateName): Promise<FileEdits> {
    const all = JSON.parse(templates) as Readonly<Record<TemplateName, FileEdits>>
    return Promise.resolve(all[name])
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
