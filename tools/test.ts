/**
 * `npm test`: every check, then every test. Arguments go to vitest (`npm test -- --project core`). The last line counts
 * checks and tests together; whatever was not run stands above it with its reason.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runSteps } from "./checks/Steps.ts"
import { lastLine, loudSkips, skipsFail, type Tally } from "./vitest/Tally.ts"

const root = join(import.meta.dirname, "..")

const runTests = (): { readonly ok: boolean; readonly tally: Tally } => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tests-"))
  const report = join(folder, "report.json")
  try {
    const { status } = spawnSync(
      process.execPath,
      [join(root, "node_modules/vitest/vitest.mjs"), "run", ...process.argv.slice(2)],
      { cwd: root, stdio: "inherit", env: { ...process.env, PAWL_TEST_REPORT: report } }
    )
    const crashed: Tally = { passed: 0, failed: 1, skipped: 0, skips: [] }
    const tally: Tally = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : crashed
    return { ok: status === 0, tally }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const checks = runSteps()
const { ok, tally } = runTests()
const count = (state: string) => checks.filter((check) => check.state === state).length
const unchecked = checks
  .filter(({ state }) => state === "skipped")
  .map(({ name, detail }) => ({ title: `check ${name}`, tests: 1, reason: detail }))
const total = {
  passed: tally.passed + count("passed"),
  failed: tally.failed + count("failed"),
  skipped: tally.skipped + count("skipped")
}
for (const { name } of checks.filter(({ state }) => state === "failed")) console.log(`check ${name} failed, see above`)
console.log(`\n${loudSkips([...tally.skips, ...unchecked])}`)
console.log(`Counted: ${checks.length} checks and ${tally.passed + tally.failed + tally.skipped} tests.`)
const failed = !ok || total.failed > 0 || (total.skipped > 0 && skipsFail(process.env))
process.exitCode = failed ? 1 : 0
console.log(lastLine(total))
