/** Checks that hold: `sleep` with a number of its own, by which its process is found on the machine. */
import { readdirSync, readFileSync } from "node:fs"

let given = 0
/** Seconds, ten minutes and more, that nobody else on this machine sleeps for. */
export const ownSeconds = (): string => `${600 + given++}.${process.pid}`

const sleepers = (seconds: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((entry) => {
      if (!/^\d+$/.test(entry)) return false
      try {
        return readFileSync(`/proc/${entry}/cmdline`, "utf8") === `sleep\0${seconds}\0`
      } catch {
        return false
      }
    })
    .map(Number)

/** How many processes sleep for exactly so long. */
export const sleeping = (seconds: string): number => sleepers(seconds).length

/** Ends the sleep of those: what stands after a `;` in the check's command comes next. */
export const wake = (seconds: string): void => {
  for (const pid of sleepers(seconds)) process.kill(pid)
}
