/** Programs that tests start again and again, each in one file: its modules take longer to read than its work takes. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** Packages are found from there; `tools/vitest` clears away what a killed run left. */
const home = fileURLToPath(new URL("../../../node_modules/.cache/pawl-tests/", import.meta.url))

const made = new Map<string, Promise<string>>()

const make = async (source: string): Promise<string> => {
  // Such a program may import what starts others, and needs no bundler itself.
  const { build } = await import("esbuild")
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(join(home, "children-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, `${basename(source, ".ts")}.mjs`)
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    mainFields: ["module", "main"],
    conditions: ["pawl-source"],
    external: ["better-sqlite3", "esbuild", "pg-native", "workerd"],
    define: { "import.meta.url": JSON.stringify(pathToFileURL(source).href) },
    // What is CommonJS inside asks for Node's own modules.
    banner: {
      js: `const require = process.getBuiltinModule("node:module").createRequire(${JSON.stringify(pathToFileURL(source).href)});`
    },
    logLevel: "error"
  })
  return outfile
}

/** The file to start in the place of a source; made when it is first asked for. */
export const oneFile = (source: string): Promise<string> => {
  const known = made.get(source) ?? make(source)
  made.set(source, known)
  return known
}
