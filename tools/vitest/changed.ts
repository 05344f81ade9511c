/**
 * `npm run test:changed [ref]`: the tests that a change can touch. The change is what differs from `ref` (HEAD when none is
 * given), with files that git does not know yet. Arguments after `--` go to vitest.
 *
 * It follows imports, programs that a test starts and files that it names. It cannot see a path that is put together when
 * the test runs, what the machine has installed, or time. What every test stands on (`stage`) runs all.
 */
import { spawnSync } from "node:child_process"
import { filesOf, isTest, reaching, readersOf } from "./Graph.ts"
import { conclude, root, runVitest } from "./Run.ts"
import { turnOf } from "./Turn.ts"

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return stdout.split("\n").filter((line) => line !== "")
}

const stage =
  /^(?:package(?:-lock)?\.json|packages\/[^/]+\/package\.json|vitest\.config\.ts|\.npmrc|tools\/vitest\/.*)$/

/** These read the whole workspace, whatever they import. */
const readsAll = /^(?:tools\/test\/|packages\/server\/test\/docs\/|packages\/core\/test\/index\.test\.ts$)/

const [ref = "HEAD", ...rest] = process.argv.slice(2)
const changed = [
  ...git("diff", "--name-only", "--no-renames", ref),
  ...git("ls-files", "--others", "--exclude-standard")
]
const files = filesOf(root)
const tests = [...files].filter(isTest)
const touched = reaching(readersOf(root, files), changed)
const all = changed.some((file) => stage.test(file))
const suites = all ? tests : tests.filter((file) => touched.has(file) || (changed.length > 0 && readsAll.test(file)))

console.log(`${changed.length} files differ from ${ref}: ${suites.length} of ${tests.length} test files.`)
if (suites.length > 0) {
  const turn = turnOf(process.env)
  conclude(turn, await runVitest({ turn, args: [...(all ? [] : suites), ...rest] }))
}
