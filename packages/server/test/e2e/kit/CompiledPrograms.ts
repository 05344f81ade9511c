/**
 * The programs that tests start, each compiled into few files. Most of a short server's time goes into finding and reading
 * a thousand modules; compiled it starts in half the time. They are compiled when first asked for, and anew when a source
 * has changed. `PAWL_TEST_SOURCES=1` starts the sources themselves.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { takeExclusive } from "@pawl/adapters-local/sqlite/FileLock"
import { build } from "esbuild"
import { bundlesFolder, bundling, ownPlace, ownPrograms } from "../../../../adapters-local/test/OwnPrograms.ts"

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const root = from("../../../../..")
const manifest = join(bundlesFolder, "programs.json")

/** `pawl` itself, and the same server that dies where a test wants it to. */
const programs = [
  from("../../../src/node/main.ts"),
  from("../../crash/crash-server.ts"),
  from("../../crash/key-crash-server.ts")
] as const
export const main = programs[0]

/** What the server starts itself is found beside what its starter was compiled into. */
const listed = from("../../../../adapters-local/test/OwnPrograms.ts")

interface Compiled {
  readonly folder: string
  /** Each file that went into it, by its path, with when it was written and its size. */
  readonly inputs: Readonly<Record<string, string>>
}

const stampOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? "gone" : `${found.mtimeMs} ${found.size}`
}

/**
 * What was compiled before; null when there is nothing, or when it is not of these sources any more, or of a checkout
 * whose packages were copied with what they had in their cache.
 */
const upToDate = (): string | null => {
  try {
    const { folder, inputs }: Compiled = JSON.parse(readFileSync(manifest, "utf8"))
    if (!folder.startsWith(bundlesFolder)) return null
    return Object.entries(inputs).every(([path, stamp]) => stampOf(path) === stamp) ? folder : null
  } catch {
    return null
  }
}

const compile = async (): Promise<string> => {
  const folder = mkdtempSync(join(bundlesFolder, "programs-"))
  // Some tests start a server as somebody else.
  chmodSync(folder, 0o755)
  const { metafile } = await build({
    ...bundling,
    absWorkingDir: root,
    entryPoints: [...programs, ...Object.values(ownPrograms)],
    outdir: folder,
    entryNames: "[name]",
    splitting: true,
    metafile: true,
    plugins: [ownPlace(ownPrograms)],
    // What is CommonJS inside asks for Node's own modules.
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' }
  })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const inputs = [
    ...Object.keys(metafile.inputs).map((path) => resolve(root, path)),
    listed,
    fileURLToPath(import.meta.url)
  ]
  const compiled: Compiled = { folder, inputs: Object.fromEntries(inputs.map((path) => [path, stampOf(path)])) }
  writeFileSync(`${manifest}.new`, JSON.stringify(compiled))
  renameSync(`${manifest}.new`, manifest)
  return folder
}

const dayMs = 24 * 60 * 60 * 1000

/** Folders that no run of today can still start programs from; those of `tools/vitest/Children.ts` whose run was killed, too. */
const clear = (now: number): void => {
  for (const name of readdirSync(bundlesFolder)) {
    const path = join(bundlesFolder, name)
    if (/^(programs|children)-/.test(name) && now - statSync(path).mtimeMs > dayMs)
      rmSync(path, { recursive: true, force: true })
  }
}

/** Compiles, or waits until another process of this run has. */
const compiledOnce = async (): Promise<string> => {
  mkdirSync(bundlesFolder, { recursive: true })
  for (;;) {
    const found = upToDate()
    if (found !== null) return found
    const lock = takeExclusive(join(bundlesFolder, "lock.db"))
    if (lock === null) {
      await pause(50)
      continue
    }
    try {
      clear(Date.now())
      return upToDate() ?? (await compile())
    } finally {
      lock.close()
    }
  }
}

let folder: Promise<string> | undefined

/** The file to start for a program, given by its source. A program that is not compiled is its own source. */
export const compiled = async (source: string): Promise<string> => {
  if (process.env["PAWL_TEST_SOURCES"] !== undefined || !programs.includes(source)) return source
  return join(await (folder ??= compiledOnce()), basename(source).replace(/\.ts$/, ".js"))
}
