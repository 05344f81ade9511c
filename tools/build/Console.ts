/** Builds the console: bundled by Vite, with its licences, packed once so that the server need not. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { takeExclusive } from "../../packages/adapters-local/src/sqlite/FileLock.ts"

/** Below the package's folder: what its `dist` depends on, beside this file and the lock of the workspace. */
const sources = ["src", "index.html", "first.js", "vite.config.ts", "package.json"]

const filesBelow = (path: string): ReadonlyArray<string> =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .toSorted()
        .flatMap((name) => filesBelow(join(path, name)))
    : [path]

/** The versions of what goes into the bundle stand in the lock file, with those of all others. */
const bundledVersions = (root: string): string => {
  const lock: { readonly packages: Readonly<Record<string, { readonly version?: string }>> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8")
  )
  const bundled =
    /^node_modules\/(react|react-dom|scheduler|@tanstack\/query-core|@tanstack\/react-query|wouter|virtua|vite|rolldown)$/
  return JSON.stringify(
    Object.entries(lock.packages).flatMap(([path, { version }]) => (bundled.test(path) ? [[path, version]] : []))
  )
}

const digestOf = (root: string, folder: string): string => {
  const hash = createHash("sha256").update(bundledVersions(root))
  const paths = [...sources.flatMap((name) => filesBelow(join(folder, name))), import.meta.filename]
  for (const path of paths) hash.update(`\n${relative(root, path)}\n`).update(readFileSync(path))
  return hash.digest("hex")
}

/** `first.js` runs before the page is drawn, so it is no module, and Vite leaves it alone: it gets its name here. */
const nameFirst = (folder: string, dist: string): void => {
  const script = readFileSync(join(folder, "first.js"))
  const name = `first-${createHash("sha256").update(script).digest("base64url").slice(0, 8)}.js`
  writeFileSync(join(dist, "console", name), script)
  const page = join(dist, "index.html")
  const text = readFileSync(page, "utf8")
  writeFileSync(page, text.replace("/console/first.js", `/console/${name}`).replaceAll(' vite-ignore=""', ""))
}

/**
 * What each page begins with is compiled while it arrives, beside the page's own thread, and not function by function when
 * that calls them (V8's explicit compile hints). Other engines read a comment.
 */
const hintFirst = (dist: string): void => {
  const text = readFileSync(join(dist, "index.html"), "utf8")
  for (const [, path = ""] of text.matchAll(/(?:src|href)="(\/console\/[^"]+\.js)"/g)) {
    const script = join(dist, path)
    writeFileSync(script, `//# allFunctionsCalledOnLoad\n${readFileSync(script, "utf8")}`)
  }
}

/** What is sent in two packets of a network, which go out together, wins nothing by being smaller. */
const atOnceBytes = 2 * 1400

/** Each file of the page also as gzip and brotli, at their strongest. */
const pack = (path: string): void => {
  const bytes = readFileSync(path)
  if (bytes.length < atOnceBytes) return
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

/** Vite takes React for developers where `NODE_ENV` says so, as it does in tests and on many a desk, whatever its mode is. */
const inProduction = async (work: () => Promise<unknown>): Promise<void> => {
  const told = process.env["NODE_ENV"]
  process.env["NODE_ENV"] = "production"
  try {
    await work()
  } finally {
    if (told === undefined) delete process.env["NODE_ENV"]
    else process.env["NODE_ENV"] = told
  }
}

const bundle = async (folder: string, dist: string): Promise<void> => {
  const { build } = await import("vite")
  const configFile = join(folder, "vite.config.ts")
  await inProduction(() => build({ root: folder, configFile, logLevel: "warn", mode: "production" }))
  nameFirst(folder, dist)
  hintFirst(dist)
  for (const path of [join(dist, "index.html"), ...filesBelow(join(dist, "console"))]) pack(path)
}

/**
 * Builds `packages/console/dist` when it is not of these sources, and says so. Processes that come at the same time wait
 * for the first; where the workspace has no console, nothing happens.
 */
export const buildConsole = async (root: string, say: (line: string) => void): Promise<void> => {
  const folder = join(root, "packages/console")
  if (!existsSync(join(folder, "vite.config.ts"))) return
  const dist = join(folder, "dist")
  const mark = join(dist, ".digest")
  const isCurrent = () => existsSync(mark) && readFileSync(mark, "utf8") === digestOf(root, folder)
  const cache = join(root, "node_modules/.cache/pawl")
  mkdirSync(cache, { recursive: true })
  while (!isCurrent()) {
    const lock = takeExclusive(join(cache, "console.lock.db"))
    if (lock === null) {
      await pause(50)
      continue
    }
    try {
      if (isCurrent()) return
      say(`Building project '${relative(root, folder)}' (${basename(dist)})...`)
      const digest = digestOf(root, folder)
      await bundle(folder, dist)
      writeFileSync(mark, digest)
    } finally {
      lock.close()
    }
  }
}
