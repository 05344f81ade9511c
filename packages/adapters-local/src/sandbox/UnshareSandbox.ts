/**
 * Isolation by util-linux alone: `unshare` makes the namespaces, a few lines of shell mount the root and leave the
 * host's, `setpriv` drops what is left, Perl sets the filter of system calls where there is one. Root uses its own power for the mounts and then becomes the job's uid; anyone
 * else does it in a user namespace, and enters a second one to be nobody.
 *
 * The root is entered by `chroot` below the mount namespace's root: the kernel then refuses further user namespaces.
 */
import { unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Isolator, Lacking, Launch, LaunchRequest } from "./Isolator.ts"
import { inodesOf } from "./JobMount.ts"
import { withFilter } from "./SystemCalls.ts"
import { findProgram, programVersion } from "./Toolchain.ts"

const programs = ["unshare", "setpriv", "mount", "umount", "pivot_root", "chroot"] as const
type Programs = Readonly<Record<(typeof programs)[number], string>>

const escaped = (path: string): string =>
  path.replace(/[\\ \t\n#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`)

const mountTable = ({ disk, limits: { diskBytes }, root, user }: LaunchRequest): string => {
  const line = (source: string, target: string, type: string, options: string) =>
    `${escaped(source)} ${escaped(join(root.inner, target))} ${type} ${options} 0 0\n`
  const readOnly = "rbind,ro,nosuid,nodev"
  return [
    `${escaped(root.outer)} ${escaped(root.outer)} none ${readOnly} 0 0\n`,
    ...[...root.system, ...root.tools].map(({ source, target }) => line(source, target, "none", readOnly)),
    ...root.devices.map((device) => line(device, device, "none", "bind,nosuid,noexec")),
    line("proc", "/proc", "proc", "nosuid,nodev,noexec"),
    disk === null
      ? line(
          "tmpfs",
          "/job",
          "tmpfs",
          `nosuid,nodev,mode=0755,size=${diskBytes},nr_inodes=${inodesOf(diskBytes)}` +
            (user === null ? "" : `,uid=${user},gid=${user}`)
        )
      : line(disk, "/job", "none", "rbind,nosuid,nodev")
  ].join("")
}

/**
 * As first process of the new namespaces, still privileged in them: mounts, brings the loopback up (through sysfs: `ip`
 * may be missing), leaves the host's root, then becomes what drops the privileges.
 */
const setUp = `set -e
table=$1 outer=$2; shift 2
mount -a -T "$table"
if mount -t sysfs -o nosuid,nodev,noexec sysfs "$outer/r/sys" 2>/dev/null; then
  echo 1 > "$outer/r/sys/class/net/lo/flags" 2>/dev/null || :
  umount "$outer/r/sys"
fi
cd "$outer"
pivot_root . .
umount -l .
unset PWD OLDPWD
exec "$@"`

const namespaces = [
  "--mount",
  "--net",
  "--ipc",
  "--uts",
  "--pid",
  "--cgroup",
  "--fork",
  "--kill-child",
  "--propagation",
  "private"
]

/** The last step: no capabilities, no way to gain any, and dead with the parent (a change of uid had cleared that). */
const dropped = ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "KILL"]

const asRoot = (has: Programs, user: number): ReadonlyArray<string> => [
  has.chroot,
  "/r",
  has.setpriv,
  "--reuid",
  `${user}`,
  "--regid",
  `${user}`,
  "--clear-groups",
  ...dropped
]

const asAnyone = (has: Programs): ReadonlyArray<string> => [
  has.unshare,
  "--user",
  "--map-user=65534",
  "--map-group=65534",
  "--keep-caps",
  "--root=/r",
  has.setpriv,
  "--ambient-caps=-all",
  ...dropped
]

const launch = (has: Programs) => {
  const filtered = withFilter()
  let launches = 0
  return (request: LaunchRequest): Launch => {
    const { inside, privatePath, root, user } = request
    const table = join(privatePath, `mounts-${launches++}`)
    writeFileSync(table, mountTable(request), { mode: 0o600 })
    const argv = [
      // The user namespace first and by itself: the network namespace then belongs to a root that is mapped.
      ...(user === null ? [has.unshare, "--user", "--map-root-user"] : []),
      has.setpriv,
      "--pdeathsig",
      "KILL",
      has.unshare,
      ...namespaces,
      "/bin/sh",
      "-c",
      setUp,
      "sh",
      table,
      root.outer,
      ...(user === null ? asAnyone(has) : asRoot(has, user)),
      ...filtered,
      ...inside("first-process")
    ]
    return { argv, release: () => unlinkSync(table) }
  }
}

/** The isolator, when all programs of util-linux that it takes are there; nothing is proved of it yet. */
export const findUnshare = (): Isolator | Lacking => {
  const name = "unshare"
  const found = programs.map((program) => [program, findProgram(program)] as const)
  const missing = found.filter(([, path]) => path === null).map(([program]) => program)
  const [unshare, setpriv, mount, umount, pivot, chroot] = found.map(([, path]) => path)
  if (missing.length > 0 || !unshare || !setpriv || !mount || !umount || !pivot || !chroot) {
    return { name, reason: `missing: ${missing.join(", ")}`, remedy: "apt-get install util-linux mount coreutils" }
  }
  const has: Programs = { unshare, setpriv, mount, umount, pivot_root: pivot, chroot }
  const version = programVersion(unshare)
  if (version === null)
    return { name, reason: `${unshare} cannot be run`, remedy: "apt-get install --reinstall util-linux" }
  return { name, version, launch: launch(has) }
}
