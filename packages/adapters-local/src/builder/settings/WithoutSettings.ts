/** What is built of a source without a wrangler file, by its shape. */
import type { NotFoundHandling } from "@pawl/core/bundle/Bundle"
import { fieldsOf, plain } from "../bundler/TreePaths.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

type Files = ReadonlyMap<string, { readonly content: Uint8Array }>

/** The main modules that are looked for, in this order. */
export const defaultMains = ["src/index.ts", "src/index.js", "index.ts", "index.js"]

/** The folders in which build commands leave a site, in the order in which they are looked for. */
const outputFolders = ["dist", "build", "out", "_site", ".output/public", "dist/client", "build/client", "public"]

/** Main module and assets of such a source; either may be missing. */
export interface Shape {
  readonly main: string | null
  readonly directory: string | null
  readonly notFoundHandling: typeof NotFoundHandling.Type
}

/** Whether a file lies below a folder. */
export const holdsFolder = (files: Files, folder: string): boolean => {
  for (const path of files.keys()) if (path.startsWith(`${folder}/`)) return true
  return false
}

/** The `output` of the `build` in pawl.json, as a path of the tree. */
const namedOutput = (files: Files): string | null => {
  const content = files.get("pawl.json")?.content
  const build = fieldsOf(content === undefined ? undefined : textOf(content))?.["build"]
  const output = typeof build === "object" && build !== null && "output" in build ? build.output : undefined
  return typeof output === "string" && !output.startsWith("/") ? (plain(output) ?? null) : null
}

/**
 * A site that a build command made is served as it is, whatever else the source holds: without a page of its own for
 * what is not there, it is an application of one page. Else the code and the folder that stand where they usually do.
 */
export const shapeOf = (files: Files, generated: ReadonlySet<string>): Shape => {
  const named = namedOutput(files)
  const site = (named === null || named === "" ? outputFolders : [named]).find((folder) =>
    generated.has(`${folder}/index.html`)
  )
  if (site !== undefined)
    return {
      main: null,
      directory: site,
      notFoundHandling: files.has(`${site}/404.html`) ? "404-page" : "single-page-application"
    }
  return {
    main: defaultMains.find((path) => files.has(path)) ?? null,
    directory: holdsFolder(files, "public") ? "public" : null,
    notFoundHandling: "none"
  }
}
