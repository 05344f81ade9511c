/** The checks that need no test runner, in the order in which a failure tells most. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import type { Tally } from "../vitest/Tally.ts"

export interface Step {
  readonly name: string
  /** Run with the Node of this workspace (`node_modules/.bin`), or a command from there. */
  readonly command: ReadonlyArray<string>
}

export interface Outcome {
  readonly name: string
  readonly state: "passed" | "failed" | "skipped"
  readonly seconds: number
  /** Output of a step that failed, or why it was skipped. */
  readonly detail: string
}

/** Makes what the check of the published packages and some tests look at. */
export const build: Step = { name: "build", command: ["node", "tools/build/main.ts"] }

const types: Step = { name: "types", command: ["tsc", "-p", "tsconfig.json", "--pretty", "false", "--singleThreaded"] }
/** What runs in browsers: another library, another program. */
const consoleTypes: Step = {
  name: "types of the console",
  command: ["tsc", "-p", "packages/console/tsconfig.json", "--pretty", "false", "--singleThreaded"]
}
const house: Step = { name: "house", command: ["node", "tools/house/main.ts"] }
/** All rules, but floating Effects are looked for in a slice of the files. */
const quickHouse: Step = { name: "house", command: [...house.command, "--slice"] }
const format: Step = { name: "format", command: ["oxfmt", "--check"] }

/** It reads all types once more, so `npm test` leaves it to `npm run check` and `npm run test:deep`. */
const lint: Step = { name: "lint", command: ["oxlint", "--format", "unix"] }

const root = join(import.meta.dirname, "../..")

type Environment = Readonly<Record<string, string>>

const outputOf = (
  step: Step,
  environment: Environment
): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const [command = "", ...args] = step.command
    const child = spawn(join(root, "node_modules/.bin", command), args, {
      cwd: root,
      // The checkers of types are written in Go: several at once check the same things anew.
      env: { ...process.env, GOMAXPROCS: "1", ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })

/** Runs a step and prints a line for it as it ends. */
const runStep = async (step: Step, environment: Environment = {}): Promise<Outcome> => {
  const started = performance.now()
  const { code, output } = await outputOf(step, environment)
  const seconds = (performance.now() - started) / 1000
  console.log(`check ${step.name}: ${code === 0 ? "passed" : "failed"} (${seconds.toFixed(1)} s)`)
  if (code !== 0) console.log(output)
  return { name: step.name, state: code === 0 ? "passed" : "failed", seconds, detail: output }
}

/** The build alone: nothing else may write into `dist` meanwhile. */
export const runBuild = (): Promise<Outcome> => runStep(build)

const skipped = ({ name }: Step): Outcome => {
  const detail = "needs build to pass"
  console.log(`check ${name}: skipped, ${detail}`)
  return { name, state: "skipped", seconds: 0, detail }
}

/** What was built, as npm would publish it. */
const published: Step = { name: "published", command: ["node", "tools/checks/published.ts"] }

const runPublished = (built: Outcome, environment: Environment): Promise<Outcome> =>
  built.state === "passed" ? runStep(published, environment) : Promise.resolve(skipped(published))

/** What `npm test` leaves out, of what was built: all files of the rules of the house, lint, and every module of the packages as published. */
export const runDeepSteps = async (built: Outcome, environment: Environment): Promise<ReadonlyArray<Outcome>> => [
  await runStep(house),
  await runStep(lint),
  await runPublished(built, environment)
]

/** One by one, also after one failed: each says something useful whatever became of the others. */
const runEach = async (steps: ReadonlyArray<Step>): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  for (const step of steps) outcomes.push(await runStep(step))
  return outcomes
}

/** The other steps of `npm test`. */
export const runSteps = (): Promise<ReadonlyArray<Outcome>> => runEach([types, consoleTypes, quickHouse, format])

/** Every check; what lies in a broken build says nothing. */
export const runAllSteps = async (): Promise<ReadonlyArray<Outcome>> => {
  const built = await runBuild()
  return [built, ...(await runEach([types, consoleTypes, house, format, lint])), await runPublished(built, {})]
}

/** To be counted beside tests. */
export const tallyOf = (checks: ReadonlyArray<Outcome>): Tally => {
  const inState = (state: Outcome["state"]) => checks.filter((check) => check.state === state)
  return {
    passed: inState("passed").length,
    failed: inState("failed").length,
    skipped: inState("skipped").length,
    shown: 0,
    skips: inState("skipped").map(({ detail, name }) => ({ title: `check ${name}`, tests: 1, reason: detail }))
  }
}
