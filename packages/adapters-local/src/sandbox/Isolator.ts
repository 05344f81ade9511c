/**
 * What differs between the isolations: the command line that builds the walls. What stands inside them, how a job is
 * fed, watched and ended, is the same for all.
 */
import type { SandboxJob } from "@pawl/core/verification/Sandbox"
import { packagesPath, searchPath, type SandboxRoot } from "./SandboxRoot.ts"

/** What one job's walls are built from. */
export interface LaunchRequest {
  readonly limits: SandboxJob["limits"]
  /** A folder that is mounted already, seen as `/job` with all that is mounted below it; null for a fresh tmpfs. */
  readonly disk: string | null
  readonly root: SandboxRoot
  /** The uid to run under when we are root; null when we are not, and our own is used. */
  readonly user: number | null
  /** What to run inside, as pid 2 or as pid 1. */
  readonly inside: (place: "first-process" | "below-reaper") => ReadonlyArray<string>
  /** A private place for files of this launch. */
  readonly privatePath: string
}

/** A command line to spawn. */
export interface Launch {
  readonly argv: ReadonlyArray<string>
  /** Once the job has ended. */
  readonly release: () => void
}

/** One way to build walls, by its name and its tool's version. */
export interface Isolator {
  readonly name: string
  readonly version: string
  readonly launch: (request: LaunchRequest) => Launch
}

/** Why an isolation cannot be had, and what would mend it. */
export interface Lacking {
  readonly name: string
  readonly reason: string
  readonly remedy: string
}

/** Joins the cgroups given, then becomes the rest of the command line. */
const join = `n=$1; shift
while [ "$n" -gt 0 ]; do echo 0 > "$1" || exit 1; shift; n=$((n-1)); done
exec "$@"`

/** The command line that joins the cgroups first; as it was given when there are none. */
export const joining = (joinFiles: ReadonlyArray<string>, argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  joinFiles.length === 0 ? argv : ["/bin/sh", "-c", join, "sh", `${joinFiles.length}`, ...joinFiles, ...argv]

/** The descriptor on which a job says that it is ready. */
export const readyDescriptor = 3

/**
 * Inside the walls: lays out the files (from 0), sets what is per process, says "ready" (if nobody is there to
 * hear it, the supervisor has died and the command must not begin) and becomes the command.
 * Every other descriptor is closed first: an open folder of the host would be a way out. As first process of the pid
 * namespace it stays, reaps orphans, and its end is the end of all.
 */
const inside = (last: string) => `tar -xmf - -C /job && cd /job/work || exit 1
ulimit -c 0; ulimit -n 4096 2>/dev/null; ulimit -t "$1"
if [ "$2" -gt 0 ]; then ulimit -p "$2" 2>/dev/null || ulimit -u "$2"; ulimit -f "$3"; fi
unset OLDPWD
export PATH="$4" HOME=/job/home LANG=C.UTF-8
n=$5; shift 5
while [ "$n" -gt 0 ]; do export "$1"; shift; n=$((n-1)); done
echo ready >&${readyDescriptor} || exit 1
exec </dev/null 2>&1 3>&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
${last}`

const becoming = inside(`exec sh -c "$1"`)
const staying = inside(`sh -c "$1"; exit $?`)

/** `perProcess`: without cgroups the number of processes is limited for the user, and the size of each file. */
export const insideArgv = (job: SandboxJob, perProcess: boolean): LaunchRequest["inside"] => {
  const variables = Object.entries(job.environment).map(([name, value]) => `${name}=${value}`)
  const { cpuSeconds, processes, diskBytes } = job.limits
  const numbers = [Math.ceil(cpuSeconds) + 1, perProcess ? processes : 0, Math.ceil(diskBytes / 512) + 1]
  const path = job.packages === undefined ? searchPath : packagesPath
  return (place) => [
    "/bin/sh",
    "-c",
    place === "first-process" ? staying : becoming,
    "sh",
    ...numbers.map(String),
    path,
    `${variables.length}`,
    ...variables,
    job.command
  ]
}
