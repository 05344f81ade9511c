/** Starts, watches and kills the process of one build. */
import { type ChildProcess, spawn } from "node:child_process"
import { BuilderUnavailable } from "@pawl/core/bundle/AppBuilder"
import { LocalLimits } from "../../LocalLimits.ts"
import { ownProgram } from "../../OwnProgram.ts"
import { Effect, Result, Schema } from "effect"
import { BundlerAnswer, BundlerMessage, type BundlerOrder } from "./BundlerMessages.ts"

/** The bundler the app is built with; the package pins it. */
export const bundler = { name: "esbuild", version: "0.28.2" }

/** One running process, which serves one build. */
export interface BundlerChild {
  readonly process: ChildProcess
  /** Settles when the process can take an order; rejects with the reason when it ended before. */
  readonly ready: Promise<void>
  /** Settles when the process has ended and so has esbuild's, which holds the same standard error. */
  readonly closed: Promise<void>
  /** Its standard error, cut. */
  readonly stderr: () => string
}

/**
 * The process's bounds in bytes: the heap of its JavaScript, and the data segment (`ulimit -d`) of each of its
 * processes.
 */
export interface ChildLimits {
  readonly heapBytes: number
  readonly memoryBytes: number
}

/** The bounds in force unless the caller says otherwise. */
export const childLimits: ChildLimits = {
  heapBytes: LocalLimits.buildHeapBytes,
  memoryBytes: LocalLimits.buildMemoryBytes
}

const program = ownProgram(import.meta.url, "BundlerProcess")
const stderrKept = 16 * 1024
// The shell bounds what esbuild's own process may take too: `--max-old-space-size` reaches only Node.
const limited = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"'

/** Starts a process in a group of its own, with no environment but a locale. A failure to start rejects `ready`. */
export const startChild = (limits: ChildLimits = childLimits): BundlerChild => {
  const node = [process.execPath, `--max-old-space-size=${Math.floor(limits.heapBytes / 1024 / 1024)}`, ...program]
  const child = spawn("/bin/sh", ["-c", limited, "sh", String(Math.floor(limits.memoryBytes / 1024)), ...node], {
    cwd: "/",
    env: { LC_ALL: "C.UTF-8" },
    // A group of its own, so that esbuild's process dies with it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced"
  })
  let stderr = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (stderr.length < stderrKept) stderr += text.slice(0, stderrKept - stderr.length)
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(error))
    child.once("exit", () => reject(new Error("the process of the build ended at once")))
    child.once("message", (message: unknown) => {
      const said = Schema.decodeUnknownResult(BundlerMessage)(message)
      if (Result.isSuccess(said) && said.success._tag === "Ready" && said.success.version === bundler.version) resolve()
      else reject(new Error(`the process of the build is not esbuild ${bundler.version}`))
    })
  })
  // A spare that dies unused is no one's failure; who takes it sees the rejection.
  ready.catch(() => undefined)
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve())
    if (child.pid === undefined) resolve()
  })
  return { process: child, ready, closed, stderr: () => stderr }
}

/** Whether an order can still be sent to it. */
export const isAlive = (child: BundlerChild): boolean =>
  child.process.pid !== undefined &&
  child.process.exitCode === null &&
  child.process.signalCode === null &&
  child.process.connected

const killGroup = (child: BundlerChild): void => {
  if (child.process.pid === undefined) return
  try {
    process.kill(-child.process.pid, "SIGKILL")
  } catch {
    // The group is gone already.
  }
}

/** Kills the process with esbuild's and waits until both have let go of what they held. */
export const stopChild = (child: BundlerChild): Effect.Effect<void> =>
  Effect.suspend(() => {
    killGroup(child)
    return Effect.promise(() => child.closed)
  })

/** Why a bundler died, in words: from what it left on standard error. */
const reasonOf = (child: BundlerChild): string => {
  const text = child.stderr()
  if (/stack overflow|goroutine stack exceeds|Maximum call stack/.test(text))
    return "The bundler ran out of stack: some of the source is nested too deeply."
  if (/out of memory|heap limit|cannot allocate/i.test(text)) return "The bundler ran out of memory."
  return `The bundler ended by itself (${child.process.signalCode ?? `exit ${child.process.exitCode ?? "unknown"}`}).`
}

/** The process ended without an answer; `reason` is for people. */
export interface Died {
  readonly _tag: "Died"
  readonly reason: string
}

/** What came of an order: the process's answer, or its death. */
export type Outcome = Exclude<BundlerAnswer, { readonly _tag: "Died" }> | Died

/** Gives a child its one order and waits for the answer or its death. Does not stop it. */
export const order = (child: BundlerChild, job: BundlerOrder): Effect.Effect<Outcome, BuilderUnavailable> =>
  Effect.andThen(
    Effect.tryPromise({
      try: () => child.ready,
      catch: (error) =>
        new BuilderUnavailable({
          reason: error instanceof Error ? error.message : "the process of the build could not start"
        })
    }),
    Effect.callback<Outcome>((resume) => {
      const died = () => resume(Effect.sync(() => ({ _tag: "Died" as const, reason: reasonOf(child) })))
      if (!isAlive(child)) return died()
      child.process.once("close", died)
      child.process.once("message", (message: unknown) => {
        const answer = Schema.decodeUnknownResult(BundlerAnswer)(message)
        // What killed esbuild stands on standard error, which is complete once the process has closed.
        if (Result.isFailure(answer) || answer.success._tag === "Died") killGroup(child)
        else resume(Effect.succeed(answer.success))
      })
      // An order that cannot be sent has no one to take it: `close` follows.
      child.process.send(job, () => undefined)
    })
  )
