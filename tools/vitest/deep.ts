/**
 * `npm run test:deep`: the suites whose depth can be chosen, with all places, histories and interleavings. What runs in
 * whole in `npm test` is not run again; with `PAWL_TEST_SHOWN`, no test that a quick run has just shown as deeply either
 * (`Shown.ts`). Of the published packages every module is checked. Arguments go to vitest.
 */
import { filesOf, isTest, reaching, readersOf } from "./Graph.ts"
import { runBuild, runDeepSteps, tallyOf } from "../checks/Steps.ts"
import { conclude, environmentOf, root, runVitest } from "./Run.ts"
import { turnOf } from "./Turn.ts"

/** An entry of a package leads everywhere, so who imports it says nothing. */
const isEntry = (file: string): boolean => /^packages\/[^/]+\/src\/index\.ts$/.test(file)

const files = filesOf(root)
const depth = [...files].filter((file) => /^packages\/testing\/src\/(?:.+\/)?Depth\.ts$/.test(file))
const suites = [...reaching(readersOf(root, files), depth, isEntry)].filter(isTest).toSorted()

const turn = turnOf({ ...process.env, PAWL_TEST_DEPTH: "deep" })
console.log(`${suites.length} files have a depth:\n${suites.map((file) => `  ${file}`).join("\n")}`)
const built = await runBuild()
// The checks take what the tests leave: many of those wait for processes.
const [others, ran] = await Promise.all([
  runDeepSteps(built, environmentOf(turn)),
  runVitest({ turn, args: [...suites, ...process.argv.slice(2)] })
])
const checks = [built, ...others]
conclude(turn, ran, { counted: `${checks.length} checks and `, tally: tallyOf(checks) })
