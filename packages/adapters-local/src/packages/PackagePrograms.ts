/** The programs of packages (`bin`), which are to be found in `node_modules/.bin`. */
import { posix } from "node:path"
import { Result } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { isObject, type PackageManifest } from "./TarballManifest.ts"

/** A program: its name in `.bin`, and its file below the package's folder. */
export interface PackageProgram {
  readonly name: string
  readonly target: string
}

/**
 * Names that mean a program of the system to who types them. No package's program stands in for one, wherever `.bin` is on
 * the path: it is left out.
 */
const system: ReadonlySet<string> = new Set(
  `awk basename bash bunzip2 busybox bzip2 cat chgrp chmod chown chroot cmp cp curl cut dash date dd df diff dirname du echo
  egrep env expr false fgrep find git grep gunzip gzip head hostname id install kill ksh ln login ls mkdir mkfifo mknod mktemp
  more mount mv nice node nodejs nohup od openssl passwd perl ping printenv printf ps pwd python python3 readlink realpath rm
  rmdir sed seq sh sleep sort split ssh stat stty su sudo sync tail tar tee test timeout touch tr true tty umount uname uniq
  unlink unshare wait wc wget which whoami xargs yes zsh`.split(/\s+/)
)

const nameForm = /^[A-Za-z0-9_~][A-Za-z0-9._+~-]*$/

const stringsOf = (manifest: PackageManifest): ReadonlyArray<readonly [name: string, target: string]> => {
  const { bin } = manifest
  const own = String(manifest["name"]).trim()
  if (typeof bin === "string") return [[own, bin]]
  if (!isObject(bin)) return []
  return Object.entries(bin).flatMap(([name, target]) => (typeof target === "string" ? [[name, target] as const] : []))
}

/** `directories.bin`: every file of the folder is a program. */
const inFolder = (manifest: PackageManifest, files: ReadonlySet<string>): ReadonlyArray<readonly [string, string]> => {
  const { bin, directories } = manifest
  const folder = isObject(directories) ? directories["bin"] : undefined
  if (bin !== undefined || typeof folder !== "string") return []
  const start = `${posix.normalize(folder).replace(/^\.?\/|\/$/g, "")}/`
  return [...files].flatMap((path) => {
    const name = path.slice(start.length)
    return path.startsWith(start) && name !== "" && !name.startsWith(".") && !name.includes("/")
      ? [[name, path] as const]
      : []
  })
}

const isPlain = (name: string): boolean => nameForm.test(name) && name.length <= LocalLimits.packageNameBytes

/** Of a scope and a name the name counts, as npm has it. */
const withoutScope = (name: string): string => (name.startsWith("@") ? name.slice(name.indexOf("/") + 1) : name)

/**
 * The programs that a package brings, by name. A name that is a path, or a file outside of the package, is refused: fails
 * with what is wrong, as a sentence goes on after the package.
 */
export const programsOf = (
  manifest: PackageManifest,
  files: ReadonlySet<string>
): Result.Result<ReadonlyArray<PackageProgram>, string> => {
  const found = new Map<string, PackageProgram>()
  const all = [...stringsOf(manifest), ...inFolder(manifest, files)]
  if (all.length > LocalLimits.packagePrograms)
    return Result.fail(`has more than ${LocalLimits.packagePrograms} programs (\`bin\`)`)
  for (const [said, file] of all) {
    const name = withoutScope(said)
    const told = JSON.stringify(said.slice(0, 100))
    if (name.includes("/") || name.includes("\\") || name === ".." || name === ".")
      return Result.fail(`names a program ${told} (\`bin\`), which is a path and no name`)
    const target = posix.normalize(file)
    if (target.startsWith("/") || target === ".." || target.startsWith("../") || file.includes("\\"))
      return Result.fail(`has a program ${told} (\`bin\`) whose file is outside of the package`)
    if (isPlain(name) && !system.has(name) && files.has(target)) found.set(name, { name, target })
  }
  return Result.succeed([...found.values()])
}
