/** Which process a number stands for: the kernel gives the number of one that ended to another. */
import { readFileSync } from "node:fs"

/**
 * When a process began, in the kernel's ticks since the machine's start; with its number it names the process for good.
 * Null when it is gone.
 */
export const beginningOf = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null
  } catch {
    return null
  }
}
