/**
 * `npm test`: types, the rules of the house, format, and every test at the quick depth. Arguments go to vitest (`npm test -- --project core`). The
 * last line counts checks and tests together; above it stand what was not run, with its reason, and how deep it went.
 */
import { runBuild, runSteps, tallyOf } from "./checks/Steps.ts"
import { conclude, runVitest } from "./vitest/Run.ts"
import { turnOf } from "./vitest/Turn.ts"

const turn = turnOf(process.env)
// Many tests wait for processes more than they compute: the checks take what is left. They need no build.
const checking = runSteps()
const built = await runBuild()
const [others, ran] = await Promise.all([checking, runVitest({ turn, args: process.argv.slice(2) })])
const checks = [built, ...others]
const tally = tallyOf(checks)
if (tally.failed > 0)
  for (const { name, state } of checks) if (state === "failed") console.log(`check ${name} failed, see above`)
conclude(turn, ran, { counted: `${checks.length} checks and `, tally })
