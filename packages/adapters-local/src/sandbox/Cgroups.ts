/**
 * Memory, processes and CPU time of a whole sandbox, counted by the kernel. Version 1 has a hierarchy per controller,
 * version 2 one for all; where neither can be written there are no cgroups and the supervisor watches instead.
 */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isStale, namesIn } from "./RunFolder.ts"

/** What a whole sandbox may take. */
export interface CgroupLimits {
  readonly memoryBytes: number
  readonly processes: number
}

/** Folders of one sandbox: a missing controller is null. On version 2 all are the same folder. */
export interface JobCgroup {
  /** Says which files count: they are read many times a second for each job. */
  readonly version: "v1" | "v2"
  readonly folders: ReadonlyArray<string>
  /** Files to write 0 to, for a process of one thread to join. */
  readonly joinFiles: ReadonlyArray<string>
  readonly memory: string | null
  readonly processes: string | null
  readonly cpu: string | null
}

/** The hierarchies of this machine in which we may make groups; `parents` are the folders that new ones go into. */
export interface Cgroups {
  readonly version: "v1" | "v2"
  readonly parents: ReadonlyArray<string>
  /** Throws when the kernel refuses; the caller then goes without. */
  readonly create: (name: string, limits: CgroupLimits) => JobCgroup
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const writable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

interface Hierarchy {
  readonly root: string
  readonly mountPoint: string
  readonly type: string
  readonly controllers: ReadonlyArray<string>
}

/** What the kernel says of us, as text: `/proc/self/mountinfo` and `/proc/self/cgroup`. */
export interface Standing {
  readonly mounts: string
  readonly own: string
}

const hierarchies = ({ mounts }: Standing): ReadonlyArray<Hierarchy> =>
  mounts.split("\n").flatMap((line) => {
    const [left, right] = line.split(" - ")
    const [type, , options] = right?.split(" ") ?? []
    const [, , , root, mountPoint] = left?.split(" ") ?? []
    if (type === undefined || !type.startsWith("cgroup") || root === undefined || mountPoint === undefined) return []
    return [{ root, mountPoint, type, controllers: options?.split(",") ?? [] }]
  })

/** Where we stand in a hierarchy, as a folder. In a cgroup namespace the mount's root is our own. */
const folderOf = (hierarchy: Hierarchy, path: string): string => {
  const below =
    hierarchy.root === "/" ? path : path.startsWith(hierarchy.root) ? path.slice(hierarchy.root.length) : "/"
  const folder = join(hierarchy.mountPoint, below)
  return existsSync(folder) ? folder : hierarchy.mountPoint
}

const ownPath = ({ own }: Standing, matches: (controllers: string) => boolean): string => {
  const line = own.split("\n").find((text) => matches(text.split(":")[1] ?? ""))
  return line?.split(":").slice(2).join(":") ?? "/"
}

const v1Parent = (standing: Standing, controller: string): string | null => {
  const hierarchy = hierarchies(standing).find(
    ({ type, controllers }) => type === "cgroup" && controllers.includes(controller)
  )
  if (hierarchy === undefined) return null
  const folder = folderOf(
    hierarchy,
    ownPath(standing, (names) => names.split(",").includes(controller))
  )
  return writable(folder) ? folder : null
}

const makeV1 = (standing: Standing): Cgroups | null => {
  const controllers = {
    memory: v1Parent(standing, "memory"),
    processes: v1Parent(standing, "pids"),
    cpu: v1Parent(standing, "cpuacct")
  }
  const parents = [...new Set(Object.values(controllers).filter((folder) => folder !== null))]
  if (parents.length === 0) return null
  const create = (name: string, limits: CgroupLimits): JobCgroup => {
    const place = (parent: string | null) => (parent === null ? null : join(parent, name))
    const { memory, processes, cpu } = {
      memory: place(controllers.memory),
      processes: place(controllers.processes),
      cpu: place(controllers.cpu)
    }
    const folders = parents.map((parent) => join(parent, name))
    for (const folder of folders) mkdirSync(folder)
    if (memory !== null) {
      writeFileSync(join(memory, "memory.limit_in_bytes"), `${limits.memoryBytes}`)
      const swap = join(memory, "memory.memsw.limit_in_bytes")
      if (existsSync(swap)) writeFileSync(swap, `${limits.memoryBytes}`)
    }
    if (processes !== null) writeFileSync(join(processes, "pids.max"), `${limits.processes}`)
    // `cgroup.procs` would make the kernel wait until all processes can be moved, some 5 ms for each controller.
    const joinFiles = folders.map((folder) => join(folder, "tasks"))
    return { version: "v1", folders, joinFiles, memory, processes, cpu }
  }
  return { version: "v1", parents, create }
}

/** Whether children of this folder are limited; the kernel refuses it where processes stand in the folder itself. */
const delegates = (folder: string): boolean => {
  const enabled = () => {
    const names = read(join(folder, "cgroup.subtree_control")).trim().split(" ")
    return names.includes("memory") && names.includes("pids")
  }
  if (!writable(folder)) return false
  if (enabled()) return true
  try {
    writeFileSync(join(folder, "cgroup.subtree_control"), "+memory +pids")
  } catch {
    return false
  }
  return enabled()
}

const makeV2 = (standing: Standing): Cgroups | null => {
  const hierarchy = hierarchies(standing).find(({ type }) => type === "cgroup2")
  if (hierarchy === undefined) return null
  let parent = folderOf(
    hierarchy,
    ownPath(standing, (names) => names === "")
  )
  // The nearest folder above us that may limit its children: our own one cannot, since we stand in it.
  while (!delegates(parent)) {
    if (parent === hierarchy.mountPoint || !parent.startsWith(hierarchy.mountPoint)) return null
    parent = dirname(parent)
  }
  const create = (name: string, limits: CgroupLimits): JobCgroup => {
    const folder = join(parent, name)
    mkdirSync(folder)
    writeFileSync(join(folder, "memory.max"), `${limits.memoryBytes}`)
    const swap = join(folder, "memory.swap.max")
    if (existsSync(swap)) writeFileSync(swap, "0")
    writeFileSync(join(folder, "pids.max"), `${limits.processes}`)
    const joinFiles = [join(folder, "cgroup.procs")]
    return { version: "v2", folders: [folder], joinFiles, memory: folder, processes: folder, cpu: folder }
  }
  return { version: "v2", parents: [parent], create }
}

/** A cgroup for one sandbox, or null when the kernel refuses it. */
export const cgroupOrNull = (cgroups: Cgroups, name: string, limits: CgroupLimits): JobCgroup | null => {
  try {
    return cgroups.create(name, limits)
  } catch {
    removeCgroup(cgroups.parents.map((parent) => join(parent, name)))
    return null
  }
}

const field = (text: string, name: string): number => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1] ?? 0)

/** How many processes the kernel killed for want of memory. */
export const oomKills = ({ memory, version }: JobCgroup): number =>
  memory === null ? 0 : field(read(join(memory, version === "v1" ? "memory.oom_control" : "memory.events")), "oom_kill")

/** CPU time in ms of all that ever ran in it; 0 where it is not counted. */
export const cpuMilliseconds = ({ cpu, version }: JobCgroup): number => {
  if (cpu === null) return 0
  return version === "v1"
    ? Number(read(join(cpu, "cpuacct.usage"))) / 1e6
    : field(read(join(cpu, "cpu.stat")), "usage_usec") / 1000
}

/** Kills every process in these groups that has not ended by itself. */
export const killAll = (folders: ReadonlyArray<string>): void => {
  for (const folder of folders) {
    for (const pid of read(join(folder, "cgroup.procs"))
      .split("\n")
      .filter((text) => text !== "")) {
      try {
        process.kill(Number(pid), "SIGKILL")
      } catch {
        // It ended by itself.
      }
    }
  }
}

/** Removes the folders; false while something still ends in them. */
export const removeCgroup = (folders: ReadonlyArray<string>): boolean => {
  let gone = true
  for (const folder of folders) {
    try {
      rmdirSync(folder)
    } catch {
      gone &&= !existsSync(folder)
    }
  }
  return gone
}

const sweep = ({ parents }: Cgroups): void => {
  for (const parent of parents) {
    for (const name of namesIn(parent).filter(isStale)) {
      const folders = [join(parent, name)]
      killAll(folders)
      removeCgroup(folders)
    }
  }
}

/** The cgroups that we may write; null where there are none. */
export const cgroupsAt = (standing: Standing): Cgroups | null => makeV1(standing) ?? makeV2(standing)

/** Those of this process, after those of dead supervisors are gone. */
export const findCgroups = (): Cgroups | null => {
  const cgroups = cgroupsAt({ mounts: read("/proc/self/mountinfo"), own: read("/proc/self/cgroup") })
  if (cgroups !== null) sweep(cgroups)
  return cgroups
}
