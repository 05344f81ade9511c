import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { manifest, root, withFixture } from "./FixtureWorkspace.ts"

const check = (sources: Readonly<Record<string, string>>) =>
  withFixture({ ...sources, "packages/core/package.json": manifest("core", "effect") }, (fixture) =>
    fixture.run("node", join(root, "tools/house/main.ts"), fixture.folder)
  )

const lines = (count: number) => "export {}\n" + "// a line\n".repeat(count - 1)

const vague = ["utils.ts", "a/Helpers.ts", "common/A.ts", "misc/A.ts", "TaskManager.ts", "LedgerImpl.ts"]

describe("file names and lengths", () => {
  it("refuses sources and tests of 401 lines and accepts 400", () => {
    const { status, output } = check({
      "packages/core/src/a/Long.ts": lines(401),
      "packages/core/test/Long.test.ts": lines(401),
      "packages/core/src/a/Fits.ts": lines(400)
    })
    expect(output).toContain("packages/core/src/a/Long.ts file-length: 401 lines, at most 400")
    expect(output).toContain("packages/core/test/Long.test.ts file-length: 401 lines, at most 400")
    expect(output).not.toContain("Fits.ts")
    expect(status).toBe(1)
  })

  it("refuses names that say nothing of their concept", () => {
    const { status, output } = check(Object.fromEntries(vague.map((name) => [`packages/core/src/${name}`, lines(1)])))
    for (const name of vague) expect(output).toContain(`packages/core/src/${name} file-name: `)
    expect(status).toBe(1)
  })

  it("accepts names that merely contain such letters", () => {
    expect(check({ "packages/core/src/Commons.ts": lines(1), "packages/core/src/Utility.ts": lines(1) }).status).toBe(0)
  })
})
