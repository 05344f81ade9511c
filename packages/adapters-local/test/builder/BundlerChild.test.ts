import { existsSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { expect, it } from "vitest"
import { startChild } from "../../src/builder/bundler/BundlerChild.ts"

/** The niceness of the group that Linux weighs a process in; null where it makes none of sessions. */
const sessionNice = (pid: number | "self"): number | null => {
  const path = `/proc/${pid}/autogroup`
  if (!existsSync(path)) return null
  return Number(/nice (-?\d+)/.exec(readFileSync(path, "utf8"))?.[1] ?? Number.NaN)
}

it("the process of a build lets the server and the apps go first, by 5 of niceness and its session by 10", async () => {
  const before = sessionNice("self")
  const child = startChild()
  try {
    await child.ready
    const pid = child.process.pid ?? 0
    expect(getPriority(pid)).toBe(Math.min(getPriority() + 5, 19))
    // Who is not root may write one group ten times a second in the whole machine: then niceness has to do.
    const written = process.getuid?.() === 0 ? [10] : [10, 0]
    if (before !== null) expect(written).toContain(sessionNice(pid))
    // Its own alone.
    expect(sessionNice("self")).toBe(before)
  } finally {
    child.process.kill()
    await child.closed
  }
})
