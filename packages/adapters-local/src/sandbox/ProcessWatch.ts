/**
 * Memory and CPU time of a process and all below it, read from /proc: what the supervisor goes by where there are no
 * cgroups. Orphans of a pid namespace hang below its first process, so that no daemon leaves the tree.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const list = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  list(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(" ")
      .filter((text) => text !== "")
      .map(Number)
  )

const treeOf = (root: number): ReadonlyArray<number> => {
  const found = [root]
  for (let at = 0; at < found.length; at++) found.push(...childrenOf(found[at] ?? root))
  return found
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself.
  }
}

/**
 * Kills a process and all below it. Killing the top alone is not enough: while the walls are being built, what is
 * below does not yet die with its parent. It is stopped first, so that it begins nothing new meanwhile.
 */
export const killTree = (root: number): void => {
  signal(root, "SIGSTOP")
  for (const pid of treeOf(root).toReversed()) signal(pid, "SIGKILL")
}

const kilobytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0)

/** Bytes in memory files, which no process's resident size shows; the same file is counted once. */
const memoryFiles = (pid: number, seen: Set<string>): number => {
  let bytes = 0
  for (const descriptor of list(`/proc/${pid}/fd`)) {
    const path = `/proc/${pid}/fd/${descriptor}`
    try {
      if (!readlinkSync(path).startsWith("/memfd:")) continue
      const file = statSync(path)
      const key = `${file.dev}:${file.ino}`
      if (seen.has(key)) continue
      seen.add(key)
      bytes += file.blocks * 512
    } catch {
      // Closed meanwhile.
    }
  }
  return bytes
}

const ticksPerSecond = 100

const cpuOf = (pid: number): number => {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  // utime, stime and those of the children that were waited for.
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * (1000 / ticksPerSecond)
}

/** The sums over a process and all below it. */
export interface Usage {
  readonly memoryBytes: number
  readonly cpuMs: number
}

/** What the tree below `root` uses now. CPU time counts ended children too, once their parent has waited for them. */
export const usageOf = (root: number): Usage => {
  const seen = new Set<string>()
  let memoryBytes = 0
  let cpuMs = 0
  for (const pid of treeOf(root)) {
    const status = read(`/proc/${pid}/status`)
    memoryBytes += 1024 * (kilobytes(status, "RssAnon") + kilobytes(status, "RssShmem")) + memoryFiles(pid, seen)
    cpuMs += cpuOf(pid)
  }
  return { memoryBytes, cpuMs }
}
