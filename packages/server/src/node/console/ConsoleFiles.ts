/** The console's files, as its package brings them: built, packed, and named by what is in them. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, extname, join } from "node:path"
import type { ConsoleFact, ConsoleFacts } from "../../http/console/ConsoleAnswer.ts"

/** One file in each form that it can be sent in. */
export interface ConsoleFile extends ConsoleFact {
  readonly plain: Buffer
  readonly gzip: Buffer | null
  readonly brotli: Buffer | null
}

/** The page, and what it loads by its name below `/console/`. */
export interface ConsoleFiles extends ConsoleFacts<ConsoleFile> {
  readonly names: ReadonlySet<string>
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

const bytesOf = (path: string): Buffer | null => {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

const read = (path: string): ConsoleFile => {
  const plain = readFileSync(path)
  const [gzip, brotli] = [bytesOf(`${path}.gz`), bytesOf(`${path}.br`)]
  return {
    type: types[extname(path)] ?? "application/octet-stream",
    digest: createHash("sha256").update(plain).digest("base64url").slice(0, 22),
    codings: [...(brotli === null ? [] : ["br" as const]), ...(gzip === null ? [] : ["gzip" as const])],
    plain,
    gzip,
    brotli
  }
}

/** The folder of the built console; null where its package is not installed. */
export const consoleFolder = (): string | null => {
  try {
    const manifest = createRequire(import.meta.url).resolve("@pawl/console/package.json")
    return join(dirname(manifest), "dist")
  } catch {
    return null
  }
}

const load = (folder: string): ConsoleFiles => {
  const known = new Set(readdirSync(join(folder, "console")).filter((name) => extname(name) in types))
  const files = new Map<string, ConsoleFile>()
  return {
    page: read(join(folder, "index.html")),
    names: known,
    named: (name) => {
      if (!known.has(name)) return null
      const file = files.get(name) ?? read(join(folder, "console", name))
      files.set(name, file)
      return file
    }
  }
}

type Laid = Pick<ConsoleFact, "type" | "digest">

/** What there is to know of the files of a folder, without them: for who lays them out elsewhere. */
export const consoleFacts = (
  folder: string
): { readonly page: Laid; readonly named: Readonly<Record<string, Laid>> } => {
  const { named, names, page } = load(folder)
  const factOf = ({ digest, type }: Laid): Laid => ({ type, digest })
  return {
    page: factOf(page),
    named: Object.fromEntries(
      Array.from(names).flatMap((name) => {
        const file = named(name)
        return file === null ? [] : [[name, factOf(file)]]
      })
    )
  }
}

/**
 * What looks up the files of a folder: they are read once, and again when the console was built anew. Null while it is
 * not built.
 */
export const consoleFiles = (folder: string | null): (() => ConsoleFiles | null) => {
  let found: { readonly writtenMs: number; readonly files: ConsoleFiles } | null = null
  return () => {
    const page = folder === null ? undefined : statSync(join(folder, "index.html"), { throwIfNoEntry: false })
    if (folder === null || page === undefined) return null
    if (found?.writtenMs === page.mtimeMs) return found.files
    try {
      found = { writtenMs: page.mtimeMs, files: load(folder) }
      return found.files
    } catch {
      // It is being built at this moment.
      return null
    }
  }
}
