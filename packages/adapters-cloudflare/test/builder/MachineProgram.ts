/**
 * Prints what tests inside workerd ask this machine for: the code of a build's Worker, the packages that come along,
 * every example app with what the builder of this machine makes of it, or what that makes of a source with a lock file.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, sep } from "node:path"
import { layersFolder } from "@pawl/adapters-local/packages/LayerFolders"
import * as NpmPackageStore from "@pawl/adapters-local/packages/NpmPackageStore"
import { MemoryObjectStore } from "@pawl/adapters-memory"
import { layerOf } from "@pawl/core/packages/SourceLayer"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { buildJob, buildOnce } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { Effect, Layer } from "effect"
import { bundlerCode, bundlerPackages } from "../../deploy/Bundler.ts"
import type { NativeBuild } from "../packages/Published.ts"
import { resultText } from "./ResultText.ts"

const folder = join(import.meta.dirname, "../../../../examples")

const names = ["04-ordinary-workers", "05-starters"].flatMap((shelf) =>
  readdirSync(join(folder, shelf), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${shelf}/${entry.name}`] : []
  )
)

/** Every file of an example, by path; what was installed beside it is none of it. */
const filesOf = (name: string): Readonly<Record<string, Buffer>> => {
  const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(join(folder, name), path).split(sep).join("/"), path] as const)
      .filter(([inside]) => !inside.startsWith("node_modules/"))
      .map(([inside, path]) => [inside, readFileSync(path)])
  )
}

const examples = Effect.forEach(names, (name) => {
  const files = filesOf(name)
  return Effect.map(buildOnce(buildJob(files, { id: name })), (result) => ({
    name,
    files: Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytes.toString("base64")])),
    native: resultText(result)
  }))
})

interface LockedSource {
  /** The registry's URL. */
  readonly registry: string
  readonly files: Readonly<Record<string, string>>
}

/** Builds a source with the packages of its lock, in folders of its own. */
const locked = async ({ files, registry }: LockedSource): Promise<NativeBuild> => {
  const data = mkdtempSync(join(tmpdir(), "pawl-locked-"))
  const store = NpmPackageStore.layer({ directory: join(data, "packages"), registry: new URL(registry) }).pipe(
    Layer.provide(MemoryObjectStore.layerMemory)
  )
  const built = Effect.gen(function* () {
    const packages = yield* layerOf(buildJob(files).files)
    if (packages === null) throw new Error("the source has no lock")
    return { id: packages.id, text: resultText(yield* buildOnce(buildJob(files, { packages }))) }
  })
  try {
    const here = Layer.merge(store, layer({ packageLayers: layersFolder(data) }))
    return await Effect.runPromise(Effect.provide(built, here))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

const texts: Readonly<Record<string, (input: string) => Promise<string>>> = {
  code: bundlerCode,
  packages: async () => bundlerPackages(),
  locked: async (input) => JSON.stringify(await locked(JSON.parse(input) as LockedSource)),
  examples: async () => JSON.stringify(await Effect.runPromise(Effect.provide(examples, layer())))
}

process.stdout.write((await texts[process.argv[2] ?? ""]?.(process.argv[3] ?? "")) ?? "")
