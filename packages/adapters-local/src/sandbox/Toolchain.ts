/** What a check may use beside the system's own tools: this very Node, `tsc`, and vendored packages. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import { vendoredFolders } from "../builder/vendored/VendoredFiles.ts"

/** The tools by their places on the host. */
export interface Toolchain {
  readonly node: string
  /** Package name to its folder on the host; empty when TypeScript is not to be had. */
  readonly typescript: ReadonlyMap<string, string>
  /** Package name to its folder on the host: what Pawl brings along for apps, seen below `/node_modules`. */
  readonly vendored: ReadonlyMap<string, string>
  /** A folder of packages, seen as `/node_modules` in place of the vendored ones. */
  readonly nodeModules: string | null
}

const packageFolder = (name: string, from: string): string | null => {
  try {
    return dirname(realpathSync(createRequire(from).resolve(`${name}/package.json`)))
  } catch {
    return null
  }
}

const typescriptFolders = (): ReadonlyMap<string, string> => {
  const typescript = packageFolder("typescript", import.meta.url)
  if (typescript === null) return new Map()
  const nativeName = `@typescript/typescript-${process.platform}-${process.arch}`
  const native = packageFolder(nativeName, `${typescript}/package.json`)
  return new Map([["typescript", typescript], ...(native === null ? [] : [[nativeName, native] as const])])
}

/** Looks once. A folder of packages that is not there counts as none. */
export const findToolchain = (nodeModules: string | null): Toolchain => ({
  node: realpathSync(process.execPath),
  typescript: typescriptFolders(),
  vendored: vendoredFolders(),
  nodeModules: nodeModules !== null && existsSync(nodeModules) ? realpathSync(nodeModules) : null
})

const versionIn = (folder: string): string => {
  const text: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return String(Object(text)["version"])
}

/**
 * SHA-256 of the tools by their versions: where two are equal, commands find the same. Undefined with a folder of
 * packages: nobody counts what is in it, and it may change.
 */
export const toolsDigest = ({ nodeModules, typescript, vendored }: Toolchain): string | undefined => {
  if (nodeModules !== null) return undefined
  const packages = [...typescript, ...vendored].map(([name, folder]) => `${name}@${versionIn(folder)}`).sort()
  const { arch, platform, version } = process
  return sha256AtOnce(canonicalJson({ node: version, platform, arch, packages }))
}

const programFolders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"]

/** The absolute path of a system program, or null. The PATH of the environment is not asked: it may be anyone's. */
export const findProgram = (name: string): string | null =>
  programFolders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? null

/** What a program says of its version; null when it cannot be run: a broken install counts as none. */
export const programVersion = (path: string): string | null => {
  try {
    return /[\d.]+/.exec(execFileSync(path, ["--version"], { encoding: "utf8", env: {}, stdio: "pipe" }))?.[0] ?? "0"
  } catch {
    return null
  }
}
