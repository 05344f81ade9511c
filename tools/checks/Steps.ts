/** The checks that need no test runner, in the order in which a failure tells most. */
import { spawn } from "node:child_process"
import { join } from "node:path"

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

/** Any of these says something useful without the others, but for `published`, which looks at what was built. */
export const steps: ReadonlyArray<Step> = [
  { name: "types", command: ["tsc", "-p", "tsconfig.json", "--pretty", "false", "--singleThreaded"] },
  { name: "lint", command: ["oxlint", "--format", "unix"] },
  { name: "house", command: ["node", "tools/house/main.ts"] },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "published", command: ["node", "tools/checks/published.ts"] }
]

const root = join(import.meta.dirname, "../..")

const outputOf = (step: Step): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const [command = "", ...args] = step.command
    const child = spawn(join(root, "node_modules/.bin", command), args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })

/** Runs a step and prints a line for it as it ends. */
const runStep = async (step: Step): Promise<Outcome> => {
  const started = performance.now()
  const { code, output } = await outputOf(step)
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

/** Runs all other steps one by one, also after one failed; what lies in a broken build says nothing. */
export const runSteps = async (built: Outcome): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  for (const step of steps)
    outcomes.push(built.state === "passed" || step.name !== "published" ? await runStep(step) : skipped(step))
  return outcomes
}
