/** Isolation by bubblewrap: its own user, mount, pid, network, IPC, UTS and cgroup namespaces. */
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Isolator, Lacking, Launch, LaunchRequest } from "./Isolator.ts"
import type { Bind, SandboxRoot } from "./SandboxRoot.ts"
import { findFilter, readingFilter } from "./SystemCalls.ts"
import { findProgram, programVersion } from "./Toolchain.ts"

const nobody = "65534"

const namespaces = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--uid",
  nobody,
  "--gid",
  nobody,
  "--hostname",
  "sandbox"
]

interface Programs {
  readonly bwrap: string
  readonly setpriv: string
  readonly unshare: string
}

const mounts = (
  root: SandboxRoot,
  tools: ReadonlyArray<Bind>,
  diskBytes: number,
  disk: string | null
): ReadonlyArray<string> => [
  "--ro-bind",
  root.inner,
  "/",
  ...[...root.system, ...tools].flatMap(({ source, target }) => ["--ro-bind", source, target]),
  ...root.devices.flatMap((device) => ["--dev-bind", device, device]),
  "--proc",
  "/proc",
  ...(disk === null ? ["--size", `${diskBytes}`, "--tmpfs", "/job"] : ["--bind", disk, "/job"])
]

/**
 * bubblewrap runs as first process of a pid namespace around it. While it builds the walls, what it has begun does not
 * yet die with it; in the namespace it does, at any moment. Killing `unshare`, or us, kills all.
 */
const enclosing = (has: Programs, user: number | null, disk: string | null): ReadonlyArray<string> => [
  has.setpriv,
  "--pdeathsig",
  "KILL",
  has.unshare,
  // Who mounted the disk is root of a user namespace; bubblewrap must not find itself root.
  ...(user !== null
    ? []
    : disk === null
      ? ["--user", "--map-current-user"]
      : ["--user", `--map-user=${nobody}`, `--map-group=${nobody}`]),
  "--pid",
  "--fork",
  "--kill-child"
]

/** Drops root before bubblewrap runs: it then works as anyone would, in a user namespace of the job's own uid. */
const dropping = (setpriv: string, user: number): ReadonlyArray<string> => [
  setpriv,
  "--reuid",
  `${user}`,
  "--regid",
  `${user}`,
  "--clear-groups",
  "--inh-caps=-all",
  "--bounding-set=-all",
  "--pdeathsig",
  "KILL"
]

/** Whether anyone may enter every folder down to it and read it. */
const openToAll = (path: string): boolean => {
  for (let at = dirname(path); at !== "/"; at = dirname(at)) if ((statSync(at).mode & 0o001) === 0) return false
  return (statSync(path).mode & 0o005) === 0o005
}

/** Binds pairs of source and target in a mount namespace of its own, then becomes the rest of the command line. */
const bindAndGo = `n=$1; shift
while [ "$n" -gt 0 ]; do mount --bind "$1" "$2" || exit 1; shift 2; n=$((n-1)); done
exec "$@"`

interface Staging {
  readonly argv: ReadonlyArray<string>
  readonly tools: ReadonlyArray<Bind>
}

/** bubblewrap's own command, with the filter of system calls where there is one. The dropped user must be able to read it. */
const bubblewrap = (bwrap: string, runFolder: string): ReadonlyArray<string> => {
  const filter = findFilter()
  if (filter === null) return [bwrap]
  const file = join(runFolder, "filter")
  writeFileSync(file, filter)
  chmodSync(file, 0o644)
  return readingFilter(file, bwrap)
}

/**
 * Tools below a closed folder (a Node below /root) cannot be reached by the dropped user that bubblewrap runs as:
 * while still root they are bound into our run folder, where they can.
 */
const staging = (unshare: string, tools: ReadonlyArray<Bind>, runFolder: string): Staging => {
  const closed = tools.filter(({ source }) => !openToAll(source))
  const staged = new Map<string, string>()
  for (const { source } of closed) {
    const place = join(runFolder, `staged-${staged.size}`)
    staged.set(source, place)
    if (statSync(source).isDirectory()) mkdirSync(place, { recursive: true })
    else writeFileSync(place, "")
  }
  const argv = [
    unshare,
    "--mount",
    "--propagation",
    "private",
    "/bin/sh",
    "-c",
    bindAndGo,
    "sh",
    `${staged.size}`,
    ...[...staged].flat()
  ]
  return {
    argv: staged.size === 0 ? [] : argv,
    tools: tools.map(({ source, target }) => ({ source: staged.get(source) ?? source, target }))
  }
}

/** Opens a file as descriptor 8 and becomes the rest of the command line. */
const openAndGo = `exec 8<"$1"; shift; unset PWD OLDPWD; exec "$@"`

let written = 0

/**
 * bubblewrap stays as first process of the job's pid namespace, where anyone may read its command line. So it gets what
 * names places of the host by a descriptor, which it closes.
 */
const byDescriptor = (folder: string, bwrap: ReadonlyArray<string>, options: ReadonlyArray<string>) => {
  const file = join(folder, `arguments-${written++}`)
  writeFileSync(file, options.map((option) => `${option}\0`).join(""))
  // The dropped user must be able to read it.
  chmodSync(file, 0o644)
  return {
    argv: ["/bin/sh", "-c", openAndGo, "sh", file, ...bwrap, "--args", "8"],
    release: () => rmSync(file, { force: true })
  }
}

const launch = (has: Programs, options: ReadonlyArray<string>) => {
  const prepared = new WeakMap<SandboxRoot, { readonly staged: Staging; readonly bwrap: ReadonlyArray<string> }>()
  const prepare = (root: SandboxRoot, user: number | null) => {
    const folder = dirname(root.outer)
    const staged = user === null ? { argv: [], tools: root.tools } : staging(has.unshare, root.tools, folder)
    return { staged, bwrap: bubblewrap(has.bwrap, folder) }
  }
  return ({ disk, root, user, limits, inside }: LaunchRequest): Launch => {
    const { staged, bwrap } = prepared.get(root) ?? prepare(root, user)
    prepared.set(root, { staged, bwrap })
    const { argv: walls, release } = byDescriptor(dirname(root.outer), bwrap, [
      ...namespaces,
      ...options,
      ...mounts(root, staged.tools, limits.diskBytes, disk)
    ])
    const argv = [
      ...staged.argv,
      ...enclosing(has, user, disk),
      ...(user === null ? [] : dropping(has.setpriv, user)),
      ...walls,
      "--",
      ...inside("below-reaper")
    ]
    return { argv, release }
  }
}

const atLeast = (version: string, major: number, minor: number): boolean => {
  const [actualMajor = 0, actualMinor = 0] = version.split(".").map(Number)
  return actualMajor > major || (actualMajor === major && actualMinor >= minor)
}

/** The command that installs bubblewrap, for a report. */
export const remedy = "apt-get install bubblewrap"

/** The isolator, when bubblewrap, setpriv and unshare are there and can be run; nothing is proved of it yet. */
export const findBubblewrap = (): Isolator | Lacking => {
  const name = "bubblewrap"
  const bwrap = findProgram("bwrap")
  if (bwrap === null) return { name, reason: "bwrap is not installed", remedy }
  const [setpriv, unshare] = [findProgram("setpriv"), findProgram("unshare")]
  if (setpriv === null || unshare === null) {
    return { name, reason: "setpriv or unshare is not installed", remedy: "apt-get install util-linux" }
  }
  const version = programVersion(bwrap)
  if (version === null) return { name, reason: `${bwrap} cannot be run`, remedy: `apt-get install --reinstall ${name}` }
  const options = atLeast(version, 0, 8) ? ["--disable-userns"] : []
  return { name, version, launch: launch({ bwrap, setpriv, unshare }, options) }
}
