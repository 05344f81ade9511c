/** `npm run check`: types, lint, the rules of the house, format, and the packages as published. */
import { runBuild, runSteps } from "./Steps.ts"

const built = await runBuild()
const outcomes = [built, ...(await runSteps(built))]
const broken = outcomes.filter(({ state }) => state !== "passed").map(({ name }) => name)
console.log(broken.length === 0 ? `All ${outcomes.length} checks passed.` : `Not passed: ${broken.join(", ")}.`)
process.exitCode = broken.length === 0 ? 0 : 1
