/**
 * The file system that a command sees: an almost empty folder, read-only, with the system's programs and our tools
 * bound onto it, and one bounded tmpfs at `/job` for everything that it writes.
 *
 *     /usr /bin /lib* /sbin      the host's, read-only
 *     /etc                       a stub: ld.so.cache, alternatives, passwd, group, hosts
 *     /tools/bin                 node; npm, npx, pnpm and yarn, which install nothing
 *     /tools/typescript/bin      tsc
 *     /node_modules              the vendored packages, or the folder of packages that was configured
 *     /job/work                  the files; the command starts here
 *     /job/home  /tmp  /dev/shm  also on the tmpfs
 *
 * The folder is made once; `outer/r` is the root, `outer` is what `pivot_root` needs to stand above it.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { scriptRunner, scriptRunners } from "./ScriptRunner.ts"
import type { Toolchain } from "./Toolchain.ts"

/** A path of the host, and the absolute path inside at which it is seen. */
export interface Bind {
  readonly source: string
  readonly target: string
}

/** The laid out root: `inner` becomes `/`, `outer` is the place that it is built in. */
export interface SandboxRoot {
  readonly outer: string
  readonly inner: string
  /** Parts of the system, readable by everyone. */
  readonly system: ReadonlyArray<Bind>
  /** Our tools; a dropped user may not be able to reach their source by its path. */
  readonly tools: ReadonlyArray<Bind>
  readonly devices: ReadonlyArray<string>
}

/** The folders that each job has below `/job`. */
export const jobFolders = ["work", "home", "tmp", "shm"] as const
const systemPath = "/usr/local/bin:/usr/bin:/bin"
/** The `PATH` of a command. */
export const searchPath = `/tools/bin:/tools/typescript/bin:/node_modules/.bin:${systemPath}`
/**
 * That of one that sees packages: what they bring comes after the system's tools, so that no package is taken for one of
 * them, and before what Pawl brings along: a Project's own TypeScript is the one that it runs.
 */
export const packagesPath = `/tools/bin:${systemPath}:/job/work/node_modules/.bin:/tools/typescript/bin:/node_modules/.bin`

const systemFolders = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"]
const systemEtc = ["/etc/ld.so.cache", "/etc/alternatives"]
const devices = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`)

/** Makes each missing folder down to `path`, for the dropped user to enter, whatever our umask. */
const folder = (inner: string, path: string): void => {
  const names = path.split("/").filter((name) => name !== "")
  for (const at of names.keys()) {
    const place = join(inner, ...names.slice(0, at + 1))
    if (existsSync(place)) continue
    mkdirSync(place)
    chmodSync(place, 0o755)
  }
}

const file = (inner: string, path: string, text = "", mode = 0o644): void => {
  folder(inner, dirname(path))
  writeFileSync(join(inner, path), text)
  chmodSync(join(inner, path), mode)
}

/** Copies the host's link (`/bin` → `usr/bin`), or makes a place for its folder to be bound on. */
const systemBinds = (outer: string, inner: string): ReadonlyArray<Bind> => {
  const binds: Array<Bind> = []
  for (const name of systemFolders) {
    const source = `/${name}`
    if (!existsSync(source)) continue
    symlinkSync(`r/${name}`, join(outer, name))
    if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source).replace(/^\//, ""), join(inner, name))
    else {
      folder(inner, name)
      binds.push({ source, target: source })
    }
  }
  for (const source of systemEtc) {
    if (!existsSync(source)) continue
    if (lstatSync(source).isDirectory()) folder(inner, source)
    else file(inner, source)
    binds.push({ source, target: source })
  }
  return binds
}

const toolBinds = (inner: string, toolchain: Toolchain): ReadonlyArray<Bind> => {
  file(inner, "/tools/bin/node")
  for (const name of scriptRunners) file(inner, `/tools/bin/${name}`, scriptRunner, 0o755)
  const binds: Array<Bind> = [{ source: toolchain.node, target: "/tools/bin/node" }]
  for (const [name, source] of toolchain.typescript) {
    const target = `/tools/typescript/node_modules/${name}`
    folder(inner, target)
    binds.push({ source, target })
  }
  if (toolchain.typescript.size > 0) {
    folder(inner, "/tools/typescript/bin")
    symlinkSync("../node_modules/typescript/bin/tsc", join(inner, "tools/typescript/bin/tsc"))
  }
  if (toolchain.nodeModules !== null) {
    folder(inner, "/node_modules")
    binds.push({ source: toolchain.nodeModules, target: "/node_modules" })
    return binds
  }
  for (const [name, source] of toolchain.vendored) {
    const target = `/node_modules/${name}`
    folder(inner, target)
    binds.push({ source, target })
  }
  return binds
}

const stubs = (inner: string, users: ReadonlyArray<number>): void => {
  const line = (id: number, name: string) => `${name}:x:${id}:${id}:check:/job/home:/bin/sh\n`
  const named = [65534, ...users].map((id, index) => ({ id, name: index === 0 ? "nobody" : `check${index}` }))
  file(inner, "/etc/passwd", named.map(({ id, name }) => line(id, name)).join(""))
  file(inner, "/etc/group", named.map(({ id, name }) => `${name}:x:${id}:\n`).join(""))
  file(inner, "/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
  file(inner, "/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
}

/** Builds the folder below `runFolder`. `users` are the uids that a job may run under, for `/etc/passwd`. */
export const makeSandboxRoot = (runFolder: string, toolchain: Toolchain, users: ReadonlyArray<number>): SandboxRoot => {
  const outer = join(runFolder, "outer")
  const inner = join(outer, "r")
  folder(runFolder, "outer/r")
  for (const path of ["proc", "sys", "dev", "job", "var"]) folder(inner, path)
  symlinkSync("r/proc", join(outer, "proc"))
  for (const device of devices) file(inner, device)
  symlinkSync("/proc/self/fd", join(inner, "dev/fd"))
  for (const [index, name] of ["stdin", "stdout", "stderr"].entries()) {
    symlinkSync(`/proc/self/fd/${index}`, join(inner, "dev", name))
  }
  symlinkSync("/job/shm", join(inner, "dev/shm"))
  symlinkSync("/job/tmp", join(inner, "tmp"))
  symlinkSync("/job/tmp", join(inner, "var/tmp"))
  stubs(inner, users)
  return { outer, inner, system: systemBinds(outer, inner), tools: toolBinds(inner, toolchain), devices }
}
