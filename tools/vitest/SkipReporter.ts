/**
 * Ends every run with what was skipped and why. The reason is taken from `skip("reason")`, from the titles, or from a
 * line `SKIPPED: …` that the file printed. With PAWL_TEST_NO_SKIP set, a skip fails the run.
 */
import { writeFileSync } from "node:fs"
import type { SerializedError, UserConsoleLog } from "vitest"
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node"
import { lastLine, loudSkips, noReason, reasonIn, type Skipped, skipsFail, type Tally } from "./Tally.ts"

/** The outermost suite in which nothing ran, or the test itself. */
const skippedWhole = (test: TestCase): TestCase | TestSuite => {
  let whole: TestCase | TestSuite = test
  for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) {
    if ([...suite.children.allTests()].every((each) => each.result().state === "skipped")) whole = suite
  }
  return whole
}

const titlesOf = (entity: TestCase | TestSuite): string =>
  `${entity.module.project.name}/${entity.module.relativeModuleId} > ${entity.fullName}`

export default class SkipReporter implements Reporter {
  private vitest: Vitest | undefined
  private readonly printed = new Map<string, string>()

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  onUserConsoleLog(log: UserConsoleLog): void {
    const reason = /^SKIPPED: (.+)$/m.exec(log.content)?.[1]
    if (reason === undefined || log.taskId === undefined) return
    const file = this.vitest?.state.idMap.get(log.taskId)?.file.id ?? log.taskId
    this.printed.set(file, reason)
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const tally = this.tally(modules, unhandled.length)
    console.log(`\n${loudSkips(tally.skips)}\n${lastLine(tally)}`)
    const report = process.env["PAWL_TEST_REPORT"]
    if (report !== undefined) writeFileSync(report, JSON.stringify(tally))
    if (tally.skipped > 0 && skipsFail(process.env)) {
      console.log("PAWL_TEST_NO_SKIP is set: skipped tests fail this run.")
      process.exitCode = 1
    }
  }

  private tally(modules: ReadonlyArray<TestModule>, unhandled: number): Tally {
    const counts = { passed: 0, failed: unhandled, skipped: 0 }
    const skips = new Map<string, Skipped>()
    for (const module of modules) {
      counts.failed += module.errors().length
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === "pending") counts.failed += 1
        else counts[state] += 1
        if (state === "skipped") this.note(skips, module, test)
      }
    }
    return { ...counts, skips: [...skips.values()] }
  }

  private note(skips: Map<string, Skipped>, module: TestModule, test: TestCase): void {
    const whole = skippedWhole(test)
    const result = test.result()
    const note = result.state === "skipped" ? result.note : undefined
    const reason = note ?? reasonIn(test.fullName) ?? this.printed.get(module.id) ?? noReason
    const tests = (skips.get(whole.id)?.tests ?? 0) + 1
    skips.set(whole.id, { title: titlesOf(whole), tests, reason })
  }
}
