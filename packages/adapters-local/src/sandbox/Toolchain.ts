/** What a check may use beside the system's own tools: this very Node, `tsc`, and vendored packages. */
import { execFileSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
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
