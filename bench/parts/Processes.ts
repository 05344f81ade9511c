/** The workerd processes below this one, and what they hold. */
import { readdirSync, readFileSync } from "node:fs"

const parentOf = (pid: string): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? "0"
}

const isBelow = (pid: string): boolean => {
  for (let at = pid; at !== "0" && at !== "1"; at = parentOf(at)) if (at === String(process.pid)) return true
  return false
}

export const workerds = (): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "workerd" && isBelow(pid)
    } catch {
      return false
    }
  })

/** Memory of a process in MiB, with its share of what it has in common with others. */
export const shareOf = (pid: string): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024
