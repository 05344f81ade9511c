/**
 * The disk of a job that sees packages, or of which something is wanted back: a tmpfs that a process of ours mounts in a
 * mount namespace of its own, around the walls, and keeps until all inside are dead and what they left was read.
 *
 *     <place>/work/node_modules    the layer, read-only
 *     <place>/caches/<name>        on the tmpfs; seen as node_modules/<name>
 *
 * The isolator binds the place as `/job`, with all that is mounted below it, so that one size bounds all of it. The process
 * that keeps it stands outside of the job's walls: no command can see it, signal it, or speak in its place.
 */
import { mkdirSync, rmdirSync } from "node:fs"
import { dirname, join } from "node:path"
import type { SandboxJob } from "@pawl/core/verification/Sandbox"
import { cacheFolders } from "../packages/CacheFolders.ts"
import type { SandboxRoot } from "./SandboxRoot.ts"

/** The descriptor on which the process that keeps the disk says how the job ended, and then waits for us to close it. */
export const keeperDescriptor = 4

/** Files on the tmpfs: one per page, and enough for small limits. Kernel memory per file is not free. */
export const inodesOf = (diskBytes: number): number => Math.max(16_384, Math.ceil(diskBytes / 4096))

const keep = `set -e
place=$1 options=$2 owner=$3 layer=$4 n=$5; shift 5
mount -t tmpfs -o "$options" tmpfs "$place"
cd "$place"
mkdir work caches
[ -z "$owner" ] || chown "$owner:$owner" work caches
if [ -n "$layer" ]; then
  mkdir work/node_modules
  mount -o bind,ro,nosuid,nodev "$layer" work/node_modules
fi
while [ "$n" -gt 0 ]; do
  if [ -n "$layer" ] && [ -d "work/node_modules/$1" ]; then
    mkdir "caches/$1"
    [ -z "$owner" ] || chown "$owner:$owner" "caches/$1"
    mount -o bind,nosuid,nodev "caches/$1" "work/node_modules/$1"
  fi
  shift; n=$((n-1))
done
set +e
"$@" 4<&-
code=$?
exec 0<&- 1>&- 2>&- 3>&-
echo "$code" >&4
read -r closed <&4
exit "$code"`

/** A disk that is mounted while its job runs. */
export interface JobMount {
  /** The folder on the host at which the isolator finds it. */
  readonly place: string
  /** The command line that mounts it, runs the rest, and keeps it. */
  readonly around: (argv: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Once the job has ended. */
  readonly release: () => void
}

/** Whether a job's disk must be of this kind: others get a tmpfs that goes with their walls. */
export const needsMount = (job: SandboxJob): boolean => job.packages !== undefined || job.collect !== undefined

let places = 0

/** `layer`: the `node_modules` on the host, or null. `user`: the uid that the job runs under when we are root. */
export const makeJobMount = (
  root: SandboxRoot,
  user: number | null,
  layer: string | null,
  diskBytes: number
): JobMount => {
  const place = join(dirname(root.outer), `job-${places++}`)
  mkdirSync(place, { mode: 0o711 })
  const owner = user === null ? "" : `${user}`
  const options =
    `nosuid,nodev,mode=0755,size=${diskBytes},nr_inodes=${inodesOf(diskBytes)}` +
    (user === null ? "" : `,uid=${user},gid=${user}`)
  const around = (argv: ReadonlyArray<string>) => [
    // Who is not root may mount in a user namespace alone.
    ...(user === null ? ["unshare", "--user", "--map-root-user"] : []),
    "setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    "--mount",
    "--propagation",
    "private",
    "/bin/sh",
    "-c",
    keep,
    "sh",
    place,
    options,
    owner,
    layer ?? "",
    `${cacheFolders.length}`,
    ...cacheFolders,
    ...argv
  ]
  const release = () => {
    try {
      rmdirSync(place)
    } catch {
      // It goes with the folder of the run.
    }
  }
  return { place, around, release }
}
