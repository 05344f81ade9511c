/** The processes that a process has started, and those that they have. */
import { readdirSync, readFileSync } from "node:fs"

interface Running {
  readonly pid: number
  readonly parent: number
  /** What it runs, as the kernel calls it. */
  readonly name: string
}

const statOf = (pid: string): ReadonlyArray<Running> => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const end = stat.lastIndexOf(")")
    const name = stat.slice(stat.indexOf("(") + 1, end)
    return [{ pid: Number(pid), parent: Number(stat.slice(end + 2).split(" ")[1]), name }]
  } catch {
    // It ended meanwhile.
    return []
  }
}

/** The names of all that run below a process. */
export const descendants = (of: number): ReadonlyArray<string> => {
  const all = readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap(statOf)
  const below = (pid: number): ReadonlyArray<Running> =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)])
  return below(of).map(({ name }) => name)
}
