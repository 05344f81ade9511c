/**
 * Ends every run with what was skipped and why. The reason is taken from `skip("reason")`, from the titles, or from a
 * line `SKIPPED: …` that the file printed. With PAWL_TEST_NO_SKIP set, a skip fails the run. What the quick run before has
 * shown (`Shown.ts`) is counted apart.
 */
import { writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { SerializedError, UserConsoleLog } from "vitest"
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node"
import { keyOf, shownBefore, shownFiles, shownPath, shownText } from "./Shown.ts"
import { lastLine, loudSkips, noReason, reasonIn, type Skipped, skipsFail, type Tally } from "./Tally.ts"
import { turnOf } from "./Turn.ts"

const root = join(import.meta.dirname, "../..")

/** By path and titles; of two tests by one name nobody could say which of them was shown. */
const keysOf = (module: TestModule): ReadonlyMap<TestCase, string> => {
  const tests = Map.groupBy(module.children.allTests(), ({ fullName }) =>
    keyOf(relative(root, module.moduleId), fullName)
  )
  return new Map([...tests].flatMap(([key, [only, another]]) => (only && another === undefined ? [[only, key]] : [])))
}

/** The tests of a quick run that a deep one of the same commit need not run again. */
const shownIn = (modules: ReadonlyArray<TestModule>): ReadonlyArray<string> =>
  modules
    .filter(({ moduleId }) => shownFiles.includes(relative(root, moduleId)))
    .flatMap((module) => [...keysOf(module)])
    .filter(([test]) => test.result().state === "passed" && test.meta().pawlAsked === undefined)
    .map(([, key]) => key)

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
  private readonly turn = turnOf(process.env)
  private readonly shown = shownBefore(this.turn, shownPath(process.env))

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
    const shown = shownPath(process.env)
    if (shown !== null && this.turn.depth === "quick") writeFileSync(shown, shownText(this.turn.seed, shownIn(modules)))
    if (tally.skipped > 0 && skipsFail(process.env)) {
      console.log("PAWL_TEST_NO_SKIP is set: skipped tests fail this run.")
      process.exitCode = 1
    }
  }

  private tally(modules: ReadonlyArray<TestModule>, unhandled: number): Tally {
    const counts = { passed: 0, failed: unhandled, skipped: 0, shown: 0 }
    const skips = new Map<string, Skipped>()
    for (const module of modules) {
      counts.failed += module.errors().length
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length
      const keys = keysOf(module)
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        const isShown = state === "skipped" && this.shown.has(keys.get(test) ?? "")
        if (isShown) counts.shown += 1
        else if (state === "pending") counts.failed += 1
        else counts[state] += 1
        if (state === "skipped" && !isShown) this.note(skips, module, test)
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
