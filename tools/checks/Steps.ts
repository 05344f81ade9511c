/** The checks that need no test runner, in the order in which a failure tells most. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"

export interface Step {
  readonly name: string
  /** Run with the Node of this workspace (`node_modules/.bin`), or a command from there. */
  readonly command: ReadonlyArray<string>
  /** A step that must have passed before this one says anything useful. */
  readonly after?: string
}

export interface Outcome {
  readonly name: string
  readonly state: "passed" | "failed" | "skipped"
  readonly seconds: number
  /** Output of a step that failed, or why it was skipped. */
  readonly detail: string
}

export const steps: ReadonlyArray<Step> = [
  { name: "build", command: ["node", "tools/build/main.ts"] },
  { name: "types", command: ["tsc", "-p", "tsconfig.json", "--pretty", "false"] },
  { name: "lint", command: ["oxlint", "--format", "unix"] },
  { name: "house", command: ["node", "tools/house/main.ts"] },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "published", command: ["node", "tools/checks/published.ts"], after: "build" }
]

const root = join(import.meta.dirname, "../..")

const runStep = (step: Step, earlier: ReadonlyArray<Outcome>): Outcome => {
  if (step.after !== undefined && earlier.some(({ name, state }) => name === step.after && state !== "passed")) {
    return { name: step.name, state: "skipped", seconds: 0, detail: `needs ${step.after} to pass` }
  }
  const [command = "", ...args] = step.command
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin", command), args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  const seconds = (performance.now() - started) / 1000
  return { name: step.name, state: status === 0 ? "passed" : "failed", seconds, detail: `${stdout}${stderr}` }
}

/** Runs all steps, also after one failed, and prints a line for each as it ends. */
export const runSteps = (): ReadonlyArray<Outcome> => {
  const outcomes: Array<Outcome> = []
  for (const step of steps) {
    const outcome = runStep(step, outcomes)
    outcomes.push(outcome)
    console.log(`check ${outcome.name}: ${outcome.state} (${outcome.seconds.toFixed(1)} s)`)
    if (outcome.state !== "passed") console.log(outcome.detail)
  }
  return outcomes
}
