/** `npm run check`: types, lint, the rules of the house, format, and the packages as published. */
import { runAllSteps } from "./Steps.ts"

const outcomes = await runAllSteps()
const broken = outcomes.filter(({ state }) => state !== "passed").map(({ name }) => name)
console.log(broken.length === 0 ? `All ${outcomes.length} checks passed.` : `Not passed: ${broken.join(", ")}.`)
process.exitCode = broken.length === 0 ? 0 : 1
