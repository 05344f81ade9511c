/**
 * Descriptors that we were ourselves given and that a child would be given in turn: a folder of the host among them
 * would be a way out of every wall. Node marks its own as not to be inherited, but not those it began with, and a
 * shell can close only the first ten; so each is covered with /dev/null in the child.
 */
import { openSync, readdirSync, readFileSync } from "node:fs"

const closeOnExec = 0o2000000
/** The first descriptor that is covered. */
export const firstCovered = 4

const passedOn = (descriptor: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "0"
    return (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    return false
  }
}

/** What to give a child at its descriptors from 4 on: /dev/null in place of each that it would inherit. */
export const covers = (): ReadonlyArray<number | "ignore"> => {
  const inherited = readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor >= firstCovered && passedOn(descriptor))
  if (inherited.length === 0) return []
  const nothing = openSync("/dev/null", "r")
  const last = Math.max(...inherited)
  return Array.from({ length: last - firstCovered + 1 }, (_, at) =>
    inherited.includes(at + firstCovered) ? nothing : "ignore"
  )
}
