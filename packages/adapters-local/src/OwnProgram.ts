/** Programs of ours that run as processes of their own. */
import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { LocalLimits } from "./LocalLimits.ts"
import { killGroup } from "./ProcessGroup.ts"

/**
 * The arguments of Node for a program beside a module of ours. `from` is that module's `import.meta.url`. From the
 * sources it is a .ts file, which Node runs as it is and which finds our packages as sources too; from dist a .js file.
 */
export const ownProgram = (from: string, name: string): ReadonlyArray<string> =>
  from.endsWith(".ts")
    ? ["--conditions=pawl-source", fileURLToPath(new URL(`./${name}.ts`, from))]
    : [fileURLToPath(new URL(`./${name}.js`, from))]

// The shell bounds what a program starts itself, too: `--max-old-space-size` reaches only Node.
const limits = 'ulimit -c 0; ulimit -d "$1"; shift'

// Where there are no such groups, or who is not root wrote another one a moment ago, niceness alone orders them.
const lowSession = `{ echo ${LocalLimits.lowSessionNice} >/proc/self/autogroup; } 2>/dev/null`

/** A command line that goes after the server, git and the apps, by as much as `lowNice`: a check or a build can wait. */
export const goingLast = (argv: ReadonlyArray<string>): ReadonlyArray<string> => [
  "nice",
  "-n",
  String(LocalLimits.lowNice),
  ...argv
]

const KiB = 1024

/**
 * How a program is bounded: its data in all, and V8's heap, in bytes. `last`: it is `goingLast`, and so is its whole
 * session. It must have one of its own.
 */
export interface ProgramBounds {
  readonly dataBytes: number
  readonly heapBytes: number
  readonly last?: boolean
}

/** The command line of a program of ours with these bounds. */
export const boundedArgv = (
  program: ReadonlyArray<string>,
  { dataBytes, heapBytes, last = false }: ProgramBounds
): ReadonlyArray<string> => {
  const node = [process.execPath, `--max-old-space-size=${Math.floor(heapBytes / KiB / KiB)}`, ...program]
  const script = [limits, ...(last ? [lowSession] : []), 'exec "$@"'].join("; ")
  return ["/bin/sh", "-c", script, "sh", String(Math.floor(dataBytes / KiB)), ...(last ? goingLast(node) : node)]
}

/**
 * Lets the session of a program that goes `last` be weighed as any other. Answers false where that is to be tried again:
 * who is not root wrote another one a moment ago.
 */
export const lastNoMore = (pid: number): boolean => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, "0")
    return true
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "EAGAIN")
  }
}

/**
 * Starts a program of ours, which reads what anyone may have written: bounded in memory, in a process group of its own,
 * with nothing of our environment and no output. It is talked to by messages.
 */
export const startBounded = (program: ReadonlyArray<string>, bounds: ProgramBounds): ChildProcess => {
  const [file = "", ...args] = boundedArgv(program, bounds)
  return spawn(file, args, {
    cwd: "/",
    env: { LC_ALL: "C.UTF-8" },
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced"
  })
}

/** Kills it, and whatever it began. Nothing happens to one that has ended. */
export const killBounded = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) killGroup(pid)
}
