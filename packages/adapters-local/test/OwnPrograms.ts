/** The programs that our sources start beside themselves, and how tests bundle a program that is started often. */
import { readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { BuildOptions, Plugin } from "esbuild"

const source = (path: string): string => fileURLToPath(new URL(`../src/${path}.ts`, import.meta.url))

/** Each program by who starts it, as paths of sources. */
export const ownPrograms: Readonly<Record<string, string>> = {
  [source("builder/bundler/BundlerChild")]: source("builder/bundler/BundlerProcess"),
  [source("builder/routes/BabelRouteReader")]: source("builder/routes/RouteProcess"),
  [source("packages/InstallChild")]: source("packages/InstallProcess"),
  [source("packages/locking/ArboristLocks")]: source("packages/locking/LockProcess"),
  [source("packages/locking/PnpmLocks")]: source("packages/locking/PnpmProcess"),
  [source("repositories/FolderAside")]: source("repositories/FolderThread"),
  [source("runtime/host/Watchdog")]: source("runtime/host/WatchdogThread"),
  [source("runtime/stacks/MapReader")]: source("runtime/stacks/StackProcess"),
  [source("signing/SignatureThreads")]: source("signing/SignatureThread"),
  [source("spawner/SpawnerLink")]: source("spawner/SpawnerProcess"),
  [source("symbols/CodeParser")]: source("symbols/SymbolProcess")
}

/** Where bundles lie: packages are found from there. What a killed run left is cleared away from there after a day. */
export const bundlesFolder = fileURLToPath(new URL("../../../node_modules/.cache/pawl-tests/", import.meta.url))

/** Into few files, of the sources. */
export const bundling: BuildOptions = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  mainFields: ["module", "main"],
  conditions: ["pawl-source"],
  external: ["@npmcli/arborist", "better-sqlite3", "esbuild", "pg-native", "workerd", "yaml"],
  logLevel: "error"
}

/** Each file goes on knowing where its source lies, and finds templates and packages from there. Those of `left` do not. */
export const ownPlace = (left: Readonly<Record<string, string>> = {}): Plugin => ({
  name: "own-place",
  setup: (building) =>
    building.onLoad({ filter: /[\\/](packages[\\/].*\.ts|node_modules[\\/]@effect[\\/].*\.js)$/ }, async ({ path }) => {
      if (path in left) return null
      const contents = readFileSync(path, "utf8")
      if (!contents.includes("import.meta.url")) return null
      const define = { "import.meta.url": JSON.stringify(pathToFileURL(path).href) }
      // Of the code alone: a text that holds these words is somebody's source.
      const { code } = await building.esbuild.transform(contents, {
        define,
        loader: path.endsWith(".ts") ? "ts" : "js",
        target: "node24"
      })
      return { contents: code, loader: "js" }
    })
})
