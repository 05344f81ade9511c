/** Checks that hold: `sleep` with a number of its own, by which its process is found on the machine. */
import { readdirSync, readFileSync } from "node:fs"

/** How many processes sleep for exactly so long. */
export const sleeping = (seconds: string): number =>
  readdirSync("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "utf8") === `sleep\0${seconds}\0`
    } catch {
      return false
    }
  }).length
