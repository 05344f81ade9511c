/**
 * `npm run test:deep`: the suites whose depth can be chosen, with all places, histories and interleavings. What runs in
 * whole in `npm test` is not run again. Of the published packages every module is checked. Arguments go to vitest.
 */
import { filesOf, isTest, reaching, readersOf } from "./Graph.ts"
import { runDeepSteps, tallyOf } from "../checks/Steps.ts"
import { conclude, environmentOf, root, runVitest } from "./Run.ts"
import { turnOf } from "./Turn.ts"

/** An entry of a package leads everywhere, so who imports it says nothing. */
const isEntry = (file: string): boolean => /^packages\/[^/]+\/src\/index\.ts$/.test(file)

const files = filesOf(root)
const depth = [...files].filter((file) => /^packages\/testing\/src\/(?:.+\/)?Depth\.ts$/.test(file))
const suites = [...reaching(readersOf(root, files), depth, isEntry)].filter(isTest).toSorted()

const turn = turnOf({ ...process.env, PAWL_TEST_DEPTH: "deep" })
console.log(`${suites.length} files have a depth:\n${suites.map((file) => `  ${file}`).join("\n")}`)
const checks = await runDeepSteps(environmentOf(turn))
const ran = await runVitest({ turn, args: [...suites, ...process.argv.slice(2)] })
conclude(turn, ran, { counted: `${checks.length} checks and `, tally: tallyOf(checks) })
