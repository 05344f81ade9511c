import { unpack } from "@pawl/adapters-local/packages/Tarball"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hostileArchives } from "./HostileArchives.ts"

describe("Unpacking", () => {
  it.each(hostileArchives)("refuses an archive $title", async ({ archive, code = "package_unsafe", says }) => {
    const refused = await Effect.runPromise(Effect.flip(unpack(archive(), { name: "evil", version: "1.0.0" })))
    expect(refused.problems.map((problem) => problem.code)).toEqual([code])
    expect(refused.message).toMatch(/^evil@1\.0\.0 cannot be used: its archive /)
    expect(refused.message).toMatch(says)
    expect(refused.message.length).toBeLessThan(500)
  })
})
