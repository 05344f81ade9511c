/**
 * How an app's process is shut in: bubblewrap where there is one, else `unshare`, else nothing but V8.
 * Each way is tried with workerd itself before it is trusted.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Guarantee } from "@pawl/core/verification/Sandbox"
import { Effect } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { findFilter, readingFilter, withFilter } from "../../sandbox/SystemCalls.ts"
import { hostFiles } from "./HostProbe.ts"

const run = promisify(execFile)
const nobody = 65534

/** One way, as it was proved on this machine. */
export interface RuntimeIsolation {
  readonly name: "bubblewrap" | "unshare" | "none"
  /** Version of the tool; empty for `none`. */
  readonly version: string
  /** Those in force, sorted. */
  readonly guarantees: ReadonlyArray<Guarantee>
  /** What to do for a stronger one; null when there is nothing to mend. */
  readonly remedy: string | null
}

/** How processes are started in an isolation. */
export interface Confinement {
  readonly isolation: RuntimeIsolation
  /** The user the process runs as, when it is not ours. */
  readonly uid: number | null
  readonly hostFolder: string
  readonly socketFolder: (processFolder: string) => string
  /** The command that runs workerd with arguments, seeing nothing but the shared folder and its own. */
  readonly command: (shared: string, processFolder: string, args: ReadonlyArray<string>) => ReadonlyArray<string>
}

/** The `workerd` binary of the pinned package. */
export const workerdPath = (): string => createRequire(import.meta.url)("workerd").default

/** The shared libraries a binary needs, as absolute paths. */
const libraries = async (binary: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await run("ldd", [binary], { encoding: "utf8" })
  return [...new Set(stdout.match(/\/\S+/g) ?? [])].filter((path) => existsSync(path) && path !== `${binary}:`)
}

/** All that a process gets of an environment: where the tools of its confinement are. */
export const cleanEnvironment = { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin` }

const asRoot = () => process.getuid?.() === 0
const dropUser = ["--reuid", String(nobody), "--regid", String(nobody), "--clear-groups"]
const dropCapabilities = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
const common: ReadonlyArray<Guarantee> = [
  "capabilities-dropped",
  "clean-environment",
  "cpu-limited",
  "daemons-killed",
  "host-files-hidden",
  "memory-limited",
  "network-denied",
  "no-new-privileges",
  "read-only-system",
  "time-limited"
]
const filterFile = "filter"
const inside = { hostFolder: "/host", socketFolder: () => "/run" }

/** The folders above files, outermost first. bubblewrap would make them for root alone. */
const ancestors = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    ...new Set(
      files.flatMap((file) =>
        file
          .split("/")
          .slice(1, -1)
          .map((_, depth, names) => `/${names.slice(0, depth + 1).join("/")}`)
      )
    )
  ].sort()

const bindings = (
  shared: string,
  processFolder: string,
  workerd: string,
  libs: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...ancestors([...libs, "/dev/urandom"]).flatMap((folder) => ["--perms", "0755", "--dir", folder]),
  ...libs.flatMap((path) => ["--ro-bind", path, path]),
  "--ro-bind",
  workerd,
  "/workerd",
  "--dev-bind",
  "/dev/urandom",
  "/dev/urandom",
  "--ro-bind",
  shared,
  "/host",
  "--bind",
  processFolder,
  "/run"
]
const unshareAll = [
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
  "--clearenv"
]
/**
 * bubblewrap runs as first process of a pid namespace around its own. While it builds the walls, what it has begun does
 * not yet die with it, and waits for it for ever: in the namespace it does, at any moment.
 */
const enclosing = (ownUsers: boolean): ReadonlyArray<string> => [
  "setpriv",
  "--pdeathsig",
  "KILL",
  "unshare",
  ...(ownUsers ? ["--user", "--map-current-user"] : []),
  "--pid",
  "--fork",
  "--kill-child=KILL"
]
const bubblewrapIsolation = (version: string): RuntimeIsolation => ({
  name: "bubblewrap",
  version,
  guarantees: [
    ...common,
    "user-dropped" as const,
    ...(findFilter() === null ? [] : ["system-calls-filtered" as const])
  ].sort(),
  remedy: null
})
/** bubblewrap's own command, with the filter of system calls where there is one. */
const bubblewrapCommand = (shared: string): ReadonlyArray<string> =>
  findFilter() === null ? ["bwrap"] : readingFilter(join(shared, filterFile), "bwrap")

/**
 * For root: the mounts are made as root, then `setpriv` inside becomes nobody for good. bubblewrap's own
 * process 1 stays root, because the one that watches it may not signal another user; workerd dies with process 1.
 */
const bubblewrapAsRoot = (
  version: string,
  workerd: string,
  setpriv: string,
  libs: ReadonlyArray<string>
): Confinement => ({
  ...inside,
  isolation: bubblewrapIsolation(version),
  uid: nobody,
  command: (shared, processFolder, args) => [
    ...enclosing(false),
    ...bubblewrapCommand(shared),
    ...unshareAll,
    "--cap-add",
    "CAP_SETUID",
    "--cap-add",
    "CAP_SETGID",
    "--cap-add",
    "CAP_SETPCAP",
    ...bindings(shared, processFolder, workerd, libs),
    "--ro-bind",
    setpriv,
    "/setpriv",
    "--remount-ro",
    "/",
    "--",
    "/setpriv",
    ...dropUser,
    ...dropCapabilities,
    "--pdeathsig",
    "KILL",
    "/workerd",
    ...args
  ]
})

const bubblewrap = (version: string, workerd: string, libs: ReadonlyArray<string>): Confinement => ({
  ...inside,
  isolation: bubblewrapIsolation(version),
  uid: null,
  command: (shared, processFolder, args) => [
    ...enclosing(true),
    ...bubblewrapCommand(shared),
    "--unshare-user",
    "--disable-userns",
    ...unshareAll,
    "--uid",
    String(nobody),
    "--gid",
    String(nobody),
    ...bindings(shared, processFolder, workerd, libs),
    "--remount-ro",
    "/",
    "--",
    "/workerd",
    ...args
  ]
})

// The new root is a small read-only file system; `setpriv` inside it drops every capability, so that the
// process cannot leave it again. The filter comes last but one, since it refuses mounts to all that comes after it.
const unshareScript = `set -e
root=$1 shared=$2 own=$3 workerd=$4 setpriv=$5; shift 5
mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"
place() { mkdir -p "$root\${2%/*}"; : > "$root$2"; mount --bind "$1" "$root$2"; }
while [ "$1" != -- ]; do place "$1" "$1"; shift; done; shift
place "$workerd" /workerd; place "$setpriv" /setpriv; place /dev/urandom /dev/urandom
mkdir "$root/host" "$root/run"
mount --bind "$shared" "$root/host"; mount -o remount,bind,ro "$root/host"
mount --bind "$own" "$root/run"
mount -o remount,bind,ro "$root"
cd "$root"
unset PWD OLDPWD
exec "$@"`

const unshare = (version: string, workerd: string, setpriv: string, libs: ReadonlyArray<string>): Confinement => ({
  ...inside,
  isolation: {
    name: "unshare",
    version,
    guarantees: [
      ...common,
      ...(asRoot() ? ["user-dropped" as const] : []),
      ...(withFilter().length === 0 ? [] : ["system-calls-filtered" as const])
    ].sort(),
    remedy: null
  },
  uid: asRoot() ? nobody : null,
  command: (shared, processFolder, args) => [
    "setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    ...(asRoot() ? [] : ["--user", "--map-root-user"]),
    "--net",
    "--mount",
    "--pid",
    "--ipc",
    "--uts",
    "--fork",
    "--kill-child=KILL",
    "sh",
    "-c",
    unshareScript,
    "sh",
    join(shared, "root"),
    shared,
    processFolder,
    workerd,
    setpriv,
    ...libs,
    "--",
    ...withFilter(),
    "chroot",
    join(shared, "root"),
    "/setpriv",
    ...(asRoot() ? dropUser : []),
    ...dropCapabilities,
    "--pdeathsig",
    "KILL",
    "/workerd",
    ...args
  ]
})

const bare = (workerd: string, pdeathsig: boolean): Confinement => ({
  isolation: {
    name: "none",
    version: "",
    guarantees: ["cpu-limited", "memory-limited", "time-limited"],
    remedy: "apt-get install bubblewrap, or allow user namespaces (sysctl -w kernel.unprivileged_userns_clone=1)"
  },
  uid: null,
  hostFolder: "",
  socketFolder: (processFolder) => processFolder,
  command: (_shared, _processFolder, args) => [
    ...(pdeathsig ? ["setpriv", "--pdeathsig", "KILL"] : []),
    workerd,
    ...args
  ]
})

const toolVersion = async (tool: string): Promise<string> =>
  (await run(tool, ["--version"], { encoding: "utf8" })).stdout.trim().split(" ").at(-1) ?? ""
const toolPath = async (tool: string): Promise<string> =>
  (await run("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" })).stdout.trim()

/**
 * The ways this machine may offer of those asked for, strongest first, each looked for when those before it did not do. A
 * tool that is missing takes its ways with it.
 */
async function* candidates(names: ReadonlyArray<RuntimeIsolation["name"]>): AsyncGenerator<Confinement> {
  const workerd = workerdPath()
  const libs = await libraries(workerd).catch(() => null)
  const setpriv = await toolPath("setpriv").catch(() => null)
  if (libs !== null && setpriv !== null) {
    const both = [...new Set([...libs, ...(await libraries(setpriv).catch(() => []))])]
    const versionOf = (name: RuntimeIsolation["name"], tool: string) =>
      names.includes(name) ? toolVersion(tool).catch(() => null) : null
    const bwrapVersion = await versionOf("bubblewrap", "bwrap")
    if (bwrapVersion !== null && asRoot()) yield bubblewrapAsRoot(bwrapVersion, workerd, setpriv, both)
    if (bwrapVersion !== null) yield bubblewrap(bwrapVersion, workerd, libs)
    const unshareVersion = await versionOf("unshare", "unshare")
    if (unshareVersion !== null) yield unshare(unshareVersion, workerd, setpriv, both)
  }
  if (names.includes("none")) yield bare(workerd, setpriv !== null)
}

/** Writes the files that every process sees, readable for the user it becomes and reachable through its own view alone. */
export const writeShared = async (shared: string): Promise<void> => {
  await mkdir(join(shared, "root"), { recursive: true, mode: 0o755 })
  for (const [name, text] of Object.entries(hostFiles)) await writeFile(join(shared, name), text, { mode: 0o644 })
  const filter = findFilter()
  if (filter !== null) await writeFile(join(shared, filterFile), filter, { mode: 0o644 })
  await chmod(shared, 0o755)
}

/** The strongest of the ways asked for in which workerd reads its configuration from `shared` (see `writeShared`). */
export const confine = async (shared: string, names: ReadonlyArray<RuntimeIsolation["name"]>): Promise<Confinement> => {
  for await (const one of candidates(names)) {
    const [file = "", ...args] = one.command(shared, shared, [
      "compile",
      "--config-only",
      `${one.hostFolder || shared}/host.capnp`
    ])
    const runs = await run(file, args, {
      env: cleanEnvironment,
      timeout: LocalLimits.isolationTrialMs,
      encoding: "buffer"
    }).then(
      ({ stdout }) => stdout.length > 0,
      () => false
    )
    if (runs) return one
  }
  throw new Error(`workerd does not run here in any of these ways: ${names.join(", ")}`)
}

/** From the strongest to the weakest. */
export const everyIsolation: ReadonlyArray<RuntimeIsolation["name"]> = ["bubblewrap", "unshare", "none"]

/** What holds an app's process here, proved by running workerd in it: for `pawl doctor` and the log. Null when workerd does not run at all. */
export const describeRuntimeIsolation: Effect.Effect<RuntimeIsolation | null> = Effect.promise(async () => {
  const folder = await mkdtemp(join(tmpdir(), "pawl-probe-"))
  try {
    await writeShared(folder)
    return (await confine(folder, everyIsolation)).isolation
  } catch {
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
