/** Processes of this machine as /proc tells of them. They end whenever they like: one that is gone is no error. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
const statOf = (pid: number): { readonly parent: number; readonly state: string } | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === "") return undefined
  const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { parent: Number(parent), state }
}

export const nameOf = (pid: number): string => read(`/proc/${pid}/comm`).trim()
export const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`)
/** A process whose end nobody has fetched yet runs no more. */
export const isRunning = (pid: number): boolean => !["Z", "X", undefined].includes(statOf(pid)?.state)

/** Every process of the machine with its parent, at one look. */
const parents = (): ReadonlyArray<readonly [pid: number, parent: number | undefined]> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), statOf(Number(name))?.parent])

/** Every process whose command names a text: the folder of a test, for one. */
export const processesNaming = (text: string): ReadonlyArray<number> =>
  parents().flatMap(([pid]) => (commandOf(pid).includes(text) ? [pid] : []))
export const childrenOf = (root: number): ReadonlyArray<number> =>
  parents().flatMap(([pid, parent]) => (parent === root ? [pid] : []))
export const processesBelow = (root: number): ReadonlyArray<number> => {
  const all = parents()
  const below = (of: number): ReadonlyArray<number> =>
    all.flatMap(([pid, parent]) => (parent === of ? [pid, ...below(pid)] : []))
  return below(root)
}

/** The processes that still run after they were given ample time to end: a kill is an order, not a death. */
export const outlive = (pids: ReadonlyArray<number>): ReadonlyArray<number> => {
  for (const pid of pids)
    if (isRunning(pid)) {
      try {
        execFileSync("tail", ["--pid", String(pid), "-f", "/dev/null"], { timeout: 10_000, stdio: "ignore" })
      } catch {
        // It lives on, or nobody fetches its end: the state tells.
      }
    }
  return pids.filter(isRunning)
}
