/** What the console adds to the server of the built package, in memory and at its start: row 10 of the console's acceptance. */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { dist } from "../../../packages/console/test/browser/kit/BuiltConsole.ts"
import { inspectable, settledBytes } from "../../../packages/server/test/e2e/kit/ServerMemory.ts"
import { token } from "../../../packages/server/test/e2e/kit/ServerProcess.ts"
import { figure, type Measured, valueAtMost } from "../../Figure.ts"
import { across, inTurn, median } from "../../Rounds.ts"
import { build, command } from "../BuiltPackages.ts"

/** Starts differ by more than what is looked for, so that there are more of them than rounds. */
const pairs = 9

interface Cost {
  readonly readyMs: number
  /** CPU time of all threads until then. */
  readonly readyCpuMs: number
  readonly memoryMiB: number
}

interface Started {
  readonly child: ChildProcess
  readonly log: () => string
  readonly origin: string
  readonly readyMs: number
  readonly readyCpuMs: number
}

/** Milliseconds of CPU that a process has used so far, in hundredths of a second. */
const cpuMsOf = (pid: number | undefined): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Spawns it and waits for its `ready`. */
const start = (data: string, console: boolean): Promise<Started> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, [command, "serve"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: process.env["HOME"] ?? "",
        PAWL_PORT: "0",
        PAWL_DATA: data,
        PAWL_OWNER_TOKEN: token,
        PAWL_CONSOLE: String(console),
        ...inspectable
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let log = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text))
    child.once("close", (code) => reject(new Error(`the server ended with ${code}\n${log}`)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, origin] = /^ready (http:\S+)$/.exec(line) ?? []
      if (origin === undefined) return
      const readyMs = performance.now() - began
      resolve({ child, log: () => log, origin, readyMs, readyCpuMs: cpuMsOf(child.pid) })
    })
  })

/** Every file of the console, as browsers ask for it, and a question to the API; without a console they are refused. */
const visit = async (origin: string): Promise<void> => {
  const paths = ["/", ...readdirSync(join(dist, "console")).map((name) => `/console/${name}`)]
  for (const path of paths) {
    const headers = { accept: "text/html", "accept-encoding": "br" }
    await (await fetch(origin + path, { headers })).arrayBuffer()
  }
  await (await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).arrayBuffer()
}

const costOf = async (data: string, console: boolean): Promise<Cost> => {
  const { child, log, origin, readyCpuMs, readyMs } = await start(data, console)
  // Whatever ends this process, the server goes with it.
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  try {
    await visit(origin)
    return { readyMs, readyCpuMs, memoryMiB: (await settledBytes({ child, log })) / 2 ** 20 }
  } finally {
    child.kill("SIGTERM")
    await ended
    process.off("exit", kill)
  }
}

/** Servers on one folder, with and without, one after the other. */
export const measure = async (folder: string, rounds: number, say: (progress: string) => void): Promise<Measured> => {
  say("building")
  await build()
  const data = join(folder, "cost")
  const sides = { without: () => costOf(data, false), with: () => costOf(data, true) }
  const costs = await inTurn<keyof typeof sides, Cost>(Math.max(rounds, pairs), sides, say)
  const cpu = across(
    costs.with.map(({ readyCpuMs }) => readyCpuMs),
    costs.without.map(({ readyCpuMs }) => readyCpuMs),
    (a, b) => a - b
  )
  const over = (name: string, field: keyof Cost, unit: string, bound: number) => {
    const [ours, floor] = [costs.with.map((each) => each[field]), costs.without.map((each) => each[field])]
    return figure({
      name,
      value: across(ours, floor, (a, b) => a - b),
      unit: `${unit} over the floor`,
      floor: "PAWL_CONSOLE=false",
      floorValue: median(floor),
      ratio: across(ours, floor),
      target: valueAtMost(bound, unit)
    })
  }
  return {
    figures: [over("console-server-memory", "memoryMiB", "MiB", 5), over("console-server-start", "readyMs", "ms", 20)],
    notes: [
      `${costs.with.length} starts of the built package with the console and as many without, in turn; memory after every file of the console was asked for, and after its garbage was collected. A start takes ${cpu.toFixed(0)} ms of CPU more with it, to the hundredth of a second.`
    ]
  }
}
