/** Programs that tests start again and again, each in one file: its modules take longer to read than its work takes. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundlesFolder, bundling, ownPlace } from "./OwnPrograms.ts"

const made = new Map<string, Promise<string>>()

const make = async (source: string): Promise<string> => {
  // Such a program may import what starts others, and needs no bundler itself.
  const { build } = await import("esbuild")
  mkdirSync(bundlesFolder, { recursive: true })
  const folder = mkdtempSync(join(bundlesFolder, "children-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, `${basename(source, ".ts")}.mjs`)
  const place = JSON.stringify(pathToFileURL(source).href)
  await build({
    ...bundling,
    entryPoints: [source],
    outfile,
    plugins: [ownPlace()],
    // What is CommonJS inside asks for Node's own modules.
    banner: { js: `const require = process.getBuiltinModule("node:module").createRequire(${place});` }
  })
  return outfile
}

/** The file to start in the place of a source; made when it is first asked for. */
export const oneFile = (source: string): Promise<string> => {
  const known = made.get(source) ?? make(source)
  made.set(source, known)
  return known
}
