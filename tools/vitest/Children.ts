/**
 * Compiles the programs that our sources start beside themselves, once for a run: each build and each runtime has a
 * process of its own, and most of its time would go into reading TypeScript. Who starts one finds it as from `dist`, but it is of these sources.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import type { Plugin } from "vitest/config"
import { bundlesFolder, bundling, ownPrograms } from "../../packages/adapters-local/test/OwnPrograms.ts"

const root = join(import.meta.dirname, "../..")
/** Whoever looks for what lies beside the sources of the builder finds it from here. */
const place = `file://${join(root, "packages/adapters-local/src")}/builder/vendored/`

const compile = async (): Promise<string> => {
  mkdirSync(bundlesFolder, { recursive: true })
  const folder = mkdtempSync(join(bundlesFolder, "children-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  await build({
    ...bundling,
    absWorkingDir: root,
    entryPoints: Object.values(ownPrograms),
    outdir: folder,
    entryNames: "[name]",
    splitting: true,
    define: { "import.meta.url": JSON.stringify(place) }
  })
  return folder
}

let compiled: Promise<string> | undefined

/** Tells the starters of these programs where they are. */
export const childrenCompiled = (): Plugin => ({
  name: "children-compiled",
  // What vitest keeps from run to run would name the folder of a run that has ended.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id in ownPrograms ? false : undefined)),
  transform: async (code, id) => {
    if (!(id in ownPrograms)) return null
    const beside = JSON.stringify(`file://${await (compiled ??= compile())}/here.js`)
    return { code: code.replaceAll("import.meta.url", beside), map: null }
  }
})
