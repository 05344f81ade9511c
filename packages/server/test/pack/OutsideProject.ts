/**
 * A project outside this workspace that installs our packages the way anyone would: from tarballs, into an empty folder,
 * with nothing of ours reachable but what was packed.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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
  /** As `@pawl/core`. */
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const pack = (names: ReadonlyArray<string>, into: string): ReadonlyArray<Packed> => {
  const folders = names.map((name) => join(workspace, "packages", name))
  const args = ["pack", ...folders, "--pack-destination", into, "--json", "--ignore-scripts"]
  const answers: Readonly<Record<string, PackAnswer>> = JSON.parse(
    execFileSync("npm", args, { cwd: into, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  )
  return names.map((name) => {
    const answer = Object.values(answers).find((each) => each.name === `@pawl/${name}`)
    if (answer === undefined) throw new Error(`npm pack answered ${JSON.stringify(answers)}`)
    return { name, tarball: join(into, answer.filename), files: answer.files.map(({ path }) => path) }
  })
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

/**
 * What this workspace has of other people's packages, as links to the same files: npm then fetches and unpacks ours alone.
 * It takes away what none of ours needs, so what they do not name is not there.
 */
const linkForeign = (into: string): void => {
  const installed = join(workspace, "node_modules")
  const names = readdirSync(installed).filter((name) => !name.startsWith(".") && name !== "@pawl")
  mkdirSync(into)
  const copy = (how: string) => spawnSync("cp", [how, ...names.map((name) => join(installed, name)), into]).status === 0
  // No link leads to another file system.
  if (!copy("-al") && !copy("-a")) throw new Error(`${installed} could not be copied`)
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
  const packed = pack(names, join(folder, "tarballs"))
  const ours = Object.fromEntries(packed.map(({ name, tarball }) => [`@pawl/${name}`, `file:${tarball}`]))
  const { overrides } = readJson(join(workspace, "package.json"))
  const dependencies = { ...ours, ...versionsOf(beside) }
  write("package.json", JSON.stringify({ name: "outside", private: true, type: "module", dependencies, overrides }))
  write("package-lock.json", JSON.stringify(lockOf("outside")))
  linkForeign(join(folder, "node_modules"))
  const installed = run("npm", "install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
  if (installed.status !== 0) throw new Error(installed.output)
  return { folder, packed, write, run, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
