import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { keyOf, shownText } from "../vitest/Shown.ts"
import { noReason, reasonIn } from "../vitest/Tally.ts"
import { root } from "./FixtureWorkspace.ts"

const header = `import { beforeAll, describe, expect, it } from "vitest"\n`

/** Runs vitest with our reporter on these test files, as another process. */
const run = (
  tests: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  /** What the quick run before has shown, by the names of their files and their titles. */
  shown: ReadonlyArray<readonly [file: string, title: string]> = []
) => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-skips-"))
  try {
    const keys = shown.map(([file, title]) => keyOf(relative(root, join(folder, "test", file)), title))
    writeFileSync(join(folder, "shown.json"), shownText(1, keys))
    const runner = join(root, "tools/vitest/LeftOut.ts")
    const config = keys.length === 0 ? {} : { test: { runner } }
    writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)}`)
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    mkdirSync(join(folder, "test"))
    for (const [name, text] of Object.entries(tests)) writeFileSync(join(folder, "test", name), header + text)
    const reporter = join(root, "tools/vitest/SkipReporter.ts")
    const args = ["run", "--root", folder, "--reporter", "default", "--reporter", reporter, "--no-color"]
    const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin/vitest"), args, {
      cwd: folder,
      encoding: "utf8",
      env: {
        ...process.env,
        PAWL_TEST_NO_SKIP: "",
        PAWL_TEST_REPORT: join(folder, "report.json"),
        PAWL_TEST_SHOWN: keys.length === 0 ? "" : join(folder, "shown.json"),
        ...environment
      }
    })
    return { status, output: `${stdout}${stderr}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const skipping = {
  "a.test.ts": `
describe.skip("sandbox (needs bubblewrap)", () => { it("one", () => {}); describe("in", () => { it("two", () => {}) }) })
it("noted", (context) => context.skip("no browser here"))
it("runs", () => {})`,
  "b.test.ts": `
console.log("SKIPPED: Postgres is not running")
it.skip("talks to Postgres", () => {})`,
  "c.test.ts": `it.skip("says nothing", () => {})`
}

describe("the reporter of skips", () => {
  it("names every suite that was not run once, with its reason, and counts in its last line", () => {
    const { status, output } = run(skipping)
    expect(output).toMatch(/SKIPPED .*a\.test\.ts > sandbox \(needs bubblewrap\) \(2\)\n\s+needs bubblewrap\n/)
    expect(output).toMatch(/SKIPPED .*a\.test\.ts > noted \(1\)\n\s+no browser here\n/)
    expect(output).toMatch(/SKIPPED .*b\.test\.ts > talks to Postgres \(1\)\n\s+Postgres is not running\n/)
    expect(output).toMatch(/SKIPPED .*c\.test\.ts > says nothing \(1\)\n\s+no reason given/)
    expect(output).toContain("\n1 passed, 0 failed, 5 skipped\n")
    expect(status).toBe(0)
  })

  it("fails a run that skipped anything when PAWL_TEST_NO_SKIP is set, and only then", () => {
    expect(run(skipping, { PAWL_TEST_NO_SKIP: "1" }).status).toBe(1)
    expect(run({ "a.test.ts": `it("runs", () => {})` }, { PAWL_TEST_NO_SKIP: "1" }).status).toBe(0)
  })

  it("counts apart what the quick run before has shown, which is not run again", () => {
    const tests = {
      "a.test.ts": `
describe("s", () => { beforeAll(() => { throw new Error("before") }); it("one", () => { throw new Error("again") }) })
it("one", () => {})
it("two", () => {})`,
      "b.test.ts": `it("two", () => {})`
    }
    const deep = { PAWL_TEST_NO_SKIP: "1", PAWL_TEST_DEPTH: "deep", PAWL_TEST_SEED: "1" }
    const shown = [
      ["a.test.ts", "s > one"],
      ["a.test.ts", "two"]
    ] as const
    const { output, status } = run(tests, deep, shown)
    expect(output).toContain("Nothing was skipped.\n2 passed, 0 failed, 0 skipped\n")
    expect(status).toBe(0)
    expect(run(tests, { ...deep, PAWL_TEST_SEED: "2" }, shown).status).toBe(1)
  })

  it("takes for shown no two tests by one name", () => {
    const twice = `it("one", () => {})\nit("one", () => {})`
    const deep = { PAWL_TEST_NO_SKIP: "1", PAWL_TEST_DEPTH: "deep", PAWL_TEST_SEED: "1" }
    const { output, status } = run({ "a.test.ts": twice }, deep, [["a.test.ts", "one"]])
    expect(output).toContain("0 passed, 0 failed, 2 skipped")
    expect(status).toBe(1)
  })

  it("counts as failed what broke before its tests could run", () => {
    const { status, output } = run({
      "a.test.ts": `throw new Error("on import")`,
      "b.test.ts": `describe("s", () => { beforeAll(() => { throw new Error("before") }); it("never", () => {}) })`,
      "c.test.ts": `it("fails", () => { expect(1).toBe(2) })`
    })
    expect(output).toMatch(/\n0 passed, 3 failed, \d skipped\n/)
    expect(status).toBe(1)
  })
})

describe("the reason in a title", () => {
  it.each([
    ["sandbox (needs bubblewrap)", "needs bubblewrap"],
    ["pg skipped: no server", "no server"],
    ["SKIPPED, needs chromium", "needs chromium"],
    ["s3 (skipped: set PAWL_S3)", "set PAWL_S3"]
  ])("of %s is read", (title, reason) => {
    expect(reasonIn(title)).toBe(reason)
  })

  it("is not invented", () => {
    expect(reasonIn("needs no reason at all")).toBeUndefined()
    expect(noReason).toContain("no reason given")
  })
})
