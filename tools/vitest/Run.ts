/** Runs vitest as another process, and answers what it came to. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Turn } from "../../packages/testing/src/Depth.ts"
import { lastLine, loudSkips, skipsFail, type Skipped, type Tally } from "./Tally.ts"
import { turnLine } from "./Turn.ts"

export const root = join(import.meta.dirname, "../..")

export interface Ran {
  readonly ok: boolean
  readonly tally: Tally
}

export interface RunOptions {
  readonly turn: Turn
  /** For vitest: paths of test files and options. */
  readonly args: ReadonlyArray<string>
  /** It is ended then, and has failed. */
  readonly atMostMs?: number
}

const crashed: Tally = { passed: 0, failed: 1, skipped: 0, shown: 0, skips: [] }

/** What other processes learn a depth by. */
export const environmentOf = ({ depth, seed }: Turn): Readonly<Record<string, string>> => ({
  PAWL_TEST_DEPTH: depth,
  PAWL_TEST_SEED: String(seed)
})

export const runVitest = async ({ args, atMostMs, turn }: RunOptions): Promise<Ran> => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tests-"))
  const report = join(folder, "report.json")
  const env = {
    ...process.env,
    ...environmentOf(turn),
    PAWL_TEST_REPORT: report
  }
  try {
    const command = [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args]
    const child = spawn(process.execPath, command, { cwd: root, stdio: "inherit", env })
    const late = atMostMs === undefined ? undefined : setTimeout(() => child.kill("SIGTERM"), atMostMs)
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject)
      child.once("close", resolve)
    })
    clearTimeout(late)
    const tally: Tally = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : crashed
    return { ok: code === 0, tally }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Says what was left out, how deep it went and what it came to, and sets the exit code. `more` is counted beside it. */
export const conclude = (
  turn: Turn,
  { ok, tally }: Ran,
  more: { readonly counted: string; readonly tally: Tally } = {
    counted: "",
    tally: { passed: 0, failed: 0, skipped: 0, shown: 0, skips: [] }
  }
): void => {
  const total = {
    passed: tally.passed + more.tally.passed,
    failed: tally.failed + more.tally.failed,
    skipped: tally.skipped + more.tally.skipped
  }
  const skips: ReadonlyArray<Skipped> = [...tally.skips, ...more.tally.skips]
  console.log(`\n${loudSkips(skips)}`)
  console.log(`Counted: ${more.counted}${tally.passed + tally.failed + tally.skipped} tests.`)
  if (tally.shown > 0)
    console.log(`Not run again: ${tally.shown} tests that npm test has shown, which do the same here.`)
  console.log(turnLine(turn))
  process.exitCode = !ok || total.failed > 0 || (total.skipped > 0 && skipsFail(process.env)) ? 1 : 0
  console.log(lastLine(total))
}
