/**
 * Compiles the programs that our sources start beside themselves, once for a run: each build and each runtime has a
 * process of its own, and most of its time would go into reading TypeScript. Who starts one finds it as from `dist`, but it is of these sources.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import type { Plugin } from "vitest/config"

const root = join(import.meta.dirname, "../..")
const local = join(root, "packages/adapters-local/src")

/** By who starts it. */
const children: Readonly<Record<string, string>> = {
  [join(local, "builder/bundler/BundlerChild.ts")]: join(local, "builder/bundler/BundlerProcess.ts"),
  [join(local, "builder/routes/BabelRouteReader.ts")]: join(local, "builder/routes/RouteProcess.ts"),
  [join(local, "runtime/host/Watchdog.ts")]: join(local, "runtime/host/WatchdogThread.ts"),
  [join(local, "spawner/SpawnerLink.ts")]: join(local, "spawner/SpawnerProcess.ts")
}

const compile = async (): Promise<string> => {
  // Packages are found from there.
  const home = join(root, "node_modules/.cache/pawl-tests")
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(join(home, "children-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  await build({
    absWorkingDir: root,
    entryPoints: Object.values(children),
    outdir: folder,
    entryNames: "[name]",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node24",
    mainFields: ["module", "main"],
    conditions: ["pawl-source"],
    external: ["esbuild"],
    define: { "import.meta.url": JSON.stringify(`file://${local}/builder/vendored/`) },
    logLevel: "error"
  })
  return folder
}

let compiled: Promise<string> | undefined

/** Tells the starters of these programs where they are. */
export const childrenCompiled = (): Plugin => ({
  name: "children-compiled",
  // What vitest keeps from run to run would name the folder of a run that has ended.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id in children ? false : undefined)),
  transform: async (code, id) => {
    if (!(id in children)) return null
    const place = JSON.stringify(`file://${await (compiled ??= compile())}/here.js`)
    return { code: code.replaceAll("import.meta.url", place), map: null }
  }
})
