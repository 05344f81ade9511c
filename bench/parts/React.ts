/** The template `react` as files, its packages on this machine, and its commands run by hand in the sandbox. */
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import { layersFolder } from "@pawl/adapters-local/packages/LayerFolders"
import * as NpmPackageStore from "@pawl/adapters-local/packages/NpmPackageStore"
import * as LocalSandbox from "@pawl/adapters-local/sandbox/LocalSandbox"
import { PackageStore } from "@pawl/core/packages/PackageStore"
import { jobOf } from "@pawl/core/verification/CommandRun"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { readTemplate } from "@pawl/server/node/TemplateFolder"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Tree } from "./Shop.ts"

const execute = promisify(execFile)
const bundler = fileURLToPath(new URL("./BundleByHand.ts", import.meta.url))
const wallMs = 120_000

/** The files of the template. */
export const readReact = async (): Promise<Tree> =>
  new Map(
    Object.entries(await readTemplate("react")).map(([path, content]) => {
      const bytes =
        content !== null && typeof content !== "string"
          ? Buffer.from(content.base64, "base64")
          : Buffer.from(content ?? "")
      return [path, { content: bytes, executable: false }]
    })
  )

export const writeTree = (folder: string, tree: Tree): void => {
  for (const [path, { content }] of tree) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** The store of a data folder; a new one has nothing in it. */
const storeOf = (data: string, registry: string) =>
  NpmPackageStore.layer({ directory: join(data, "packages"), registry: new URL(registry) }).pipe(
    Layer.provide(FileObjectStore.layer({ directory: join(data, "objects"), alone: true }))
  )

const layerOf = (tree: Tree) =>
  Effect.gen(function* () {
    const store = yield* PackageStore
    const read = yield* store.read(new Map([...tree].map(([path, { content }]) => [path, content])))
    if (read._tag !== "Locked") throw new Error(`the template's lock is ${JSON.stringify(read)}`)
    return yield* store.layer(read.lock)
  })

/** The packages of a tree in a data folder: opened once, asked for as often as one likes. */
export const openPackages = async (data: string, registry: string) => {
  const runtime = ManagedRuntime.make(storeOf(data, registry))
  await runtime.runPromise(PackageStore)
  return { layer: (tree: Tree) => runtime.runPromise(layerOf(tree)), dispose: () => runtime.dispose() }
}

/** Commands of the template in a sandbox of this process, on the layers of a data folder. */
export const openSandbox = async (data: string) => {
  const runtime = ManagedRuntime.make(LocalSandbox.layer({ packageLayers: layersFolder(data) }))
  await runtime.runPromise(Effect.flatMap(Sandbox, (sandbox) => sandbox.isolation))
  const run = (id: string, command: string, files: Tree, packages: string) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const handle = yield* sandbox.start({ ...jobOf({ id, command, files, wallMs }), packages })
        const state = yield* Effect.repeat(sandbox.poll(handle, 1000), {
          until: (polled) => polled._tag === "Finished"
        })
        const passed =
          state._tag === "Finished" && state.result.outcome._tag === "Exited" && state.result.outcome.code === 0
        if (!passed) throw new Error(`${command} did not pass: ${JSON.stringify(state)}`)
        yield* sandbox.cancel(handle)
      })
    )
  return { run, dispose: () => runtime.dispose() }
}

/** esbuild on the template's worker, in a fresh process; `folder` holds the files. */
export const bundleWorker = (folder: string, out: string) =>
  execute(process.execPath, [bundler, folder, "src/worker/index.ts", out])

/** The sources in a folder, with a layer beside them. */
export const prepareFolder = (folder: string, tree: Tree, data: string, layer: string): void => {
  writeTree(folder, tree)
  symlinkSync(join(layersFolder(data), layer, "node_modules"), join(folder, "node_modules"))
}

/** `npm ci --ignore-scripts` in a fresh folder with a cache of its own. */
export const npmCi = async (folder: string, registry: string): Promise<void> => {
  const options = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--registry",
    registry,
    "--cache",
    join(folder, "cache")
  ]
  await execute("npm", ["ci", ...options], { cwd: folder, maxBuffer: 1 << 26 })
  rmSync(join(folder, "cache"), { recursive: true, force: true })
}
