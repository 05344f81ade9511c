/**
 * A project outside this workspace that installs our packages the way anyone would: from tarballs, into an empty folder,
 * with nothing of ours reachable but what was packed.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"

export const workspace = join(import.meta.dirname, "../../../..")

export interface Packed {
  readonly name: string
  readonly tarball: string
  /** Paths inside the package. */
  readonly files: ReadonlyArray<string>
}

export interface OutsideProject {
  readonly folder: string
  readonly packed: ReadonlyArray<Packed>
  readonly write: (path: string, text: string) => void
  /** Runs a command in the project, with no hint of this workspace in its environment but the Node on PATH. */
  readonly run: (
    command: string,
    ...args: ReadonlyArray<string>
  ) => { readonly status: number | null; readonly output: string }
  readonly remove: () => void
}

/** Settings that npm hands down to what it runs would point a child npm back at this workspace. */
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^(npm_(?!config_(cache|registry|userconfig)$)|NODE_OPTIONS|VITEST|PAWL_|TEST$|INIT_CWD)/i.test(name)
)
/** `node` is the Node that runs these tests. */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(inherited),
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter)
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))

const build = (): void => {
  execFileSync(process.execPath, [join(workspace, "tools/build/main.ts")], { cwd: workspace, stdio: "pipe" })
}

interface PackAnswer {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const pack = (name: string, into: string): Packed => {
  const args = ["pack", join(workspace, "packages", name), "--pack-destination", into, "--json", "--ignore-scripts"]
  const answer: Readonly<Record<string, PackAnswer>> = JSON.parse(
    execFileSync("npm", args, { cwd: into, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  )
  const [first] = Object.values(answer)
  if (first === undefined) throw new Error(`npm pack answered ${JSON.stringify(answer)}`)
  return { name, tarball: join(into, first.filename), files: first.files.map(({ path }) => path) }
}

/** Our lock file without ourselves: npm then asks no registry which versions there are, and finds all in its cache. */
const lockOf = (name: string): unknown => {
  const { lockfileVersion, packages } = readJson(join(workspace, "package-lock.json"))
  const foreign = Object.entries(packages).filter(
    ([path]) => path.startsWith("node_modules/") && !path.startsWith("node_modules/@pawl/")
  )
  return { name, version: "0.0.0", lockfileVersion, requires: true, packages: Object.fromEntries(foreign) }
}

const versionsOf = (names: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const { devDependencies } = readJson(join(workspace, "package.json"))
  return Object.fromEntries(names.map((name) => [name, devDependencies[name]]))
}

/** Builds and packs these packages and installs them with the npm packages named in `beside`. */
export const outsideProject = (names: ReadonlyArray<string>, beside: ReadonlyArray<string>): OutsideProject => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-outside-"))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const run: OutsideProject["run"] = (command, ...args) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env: environment, encoding: "utf8" })
    return { status, output: `${stdout}${stderr}` }
  }
  build()
  mkdirSync(join(folder, "tarballs"))
  const packed = names.map((name) => pack(name, join(folder, "tarballs")))
  const ours = Object.fromEntries(packed.map(({ name, tarball }) => [`@pawl/${name}`, `file:${tarball}`]))
  const { overrides } = readJson(join(workspace, "package.json"))
  const dependencies = { ...ours, ...versionsOf(beside) }
  write("package.json", JSON.stringify({ name: "outside", private: true, type: "module", dependencies, overrides }))
  write("package-lock.json", JSON.stringify(lockOf("outside")))
  const installed = run("npm", "install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
  if (installed.status !== 0) throw new Error(installed.output)
  return { folder, packed, write, run, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
