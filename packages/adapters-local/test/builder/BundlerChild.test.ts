import { existsSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { Effect, Fiber } from "effect"
import { expect, it, vi } from "vitest"
import { buildJob } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { order, startChild } from "../../src/builder/bundler/BundlerChild.ts"
import { readJob } from "../../src/builder/bundler/BundlerOrders.ts"

/** How long it may take on a machine on which all others go first, in ms: one that never gets there waits as long. */
const patienceMs = 60_000

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

it("the session of a build that takes long is weighed as any other", async () => {
  const child = startChild(undefined, { lastMs: 0 })
  const text = `export const x = ${"(a=".repeat(20_000)}1${")=>1".repeat(20_000)}`
  const read = readJob(buildJob({ "src/index.ts": text }), null)
  if (!("order" in read)) throw new Error("the job was refused")
  const building = Effect.runFork(order(child, read.order))
  try {
    await child.ready
    const pid = child.process.pid ?? 0
    if (sessionNice("self") !== null) await vi.waitFor(() => expect(sessionNice(pid)).toBe(0), patienceMs)
    expect(getPriority(pid)).toBe(Math.min(getPriority() + 5, 19))
  } finally {
    await Effect.runPromise(Fiber.interrupt(building))
    child.process.kill()
    await child.closed
  }
})
