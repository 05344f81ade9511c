import { getPriority } from "node:os"
import { expect, it } from "vitest"
import { startChild } from "../../src/builder/bundler/BundlerChild.ts"

it("the process of a build lets the server and the apps go first, by 5 of niceness", async () => {
  const child = startChild()
  try {
    await child.ready
    expect(getPriority(child.process.pid ?? 0)).toBe(Math.min(getPriority() + 5, 19))
  } finally {
    child.process.kill()
    await child.closed
  }
})
