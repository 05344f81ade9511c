/** Starts, watches and kills the process of one build. */
import type { ChildProcess } from "node:child_process"
import { BuilderUnavailable } from "@pawl/core/bundle/AppBuilder"
import { LocalLimits } from "../../LocalLimits.ts"
import { killBounded, ownProgram, startBounded } from "../../OwnProgram.ts"
import { Effect, Result, Schema } from "effect"
import { bundler } from "./Bundler.ts"
import type { Answered, Died } from "./BuildRun.ts"
import { BundlerMessage, type BundlerOrder, type BundlerRequest } from "./BundlerMessages.ts"
import { triesFirst } from "./FirstOrder.ts"

/** One running process, which serves one build. */
export interface BundlerChild {
  readonly process: ChildProcess
  /** Whether it has bundled something by the time that it is ready. */
  readonly isTried: boolean
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

/**
 * Starts a process in a group of its own, so that esbuild's dies with it. A failure to start rejects `ready`. `isTried`: it
 * bundles something before it is ready, so that its own order takes less.
 */
export const startChild = (
  { heapBytes, memoryBytes }: ChildLimits = childLimits,
  { isTried }: Pick<BundlerChild, "isTried"> = { isTried: true }
): BundlerChild => {
  const own = isTried ? [...program, triesFirst] : program
  const child = startBounded(own, { dataBytes: memoryBytes, heapBytes, last: true, stderr: true })
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
  return { process: child, isTried, ready, closed, stderr: () => stderr }
}

/** Whether an order can still be sent to it. */
export const isAlive = (child: BundlerChild): boolean =>
  child.process.pid !== undefined &&
  child.process.exitCode === null &&
  child.process.signalCode === null &&
  child.process.connected

/** Kills the process with esbuild's and waits until both have let go of what they held. */
export const stopChild = (child: BundlerChild): Effect.Effect<void> =>
  Effect.suspend(() => {
    killBounded(child.process)
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

/** Waits until a process can take an order. */
export const isReady = (child: BundlerChild): Effect.Effect<void, BuilderUnavailable> =>
  Effect.tryPromise({
    try: () => child.ready,
    catch: (error) =>
      new BuilderUnavailable({
        reason: error instanceof Error ? error.message : "the process of the build could not start"
      })
  })

/** Sends a request and listens until `heard` takes a message, or the process has ended. A message that is none kills it. */
const request = <A>(
  child: BundlerChild,
  asked: BundlerRequest,
  heard: (message: BundlerMessage) => A | null
): Effect.Effect<A | Died, BuilderUnavailable> =>
  Effect.andThen(
    isReady(child),
    Effect.callback<A | Died>((resume) => {
      const died = () => end(Effect.sync(() => ({ _tag: "Died" as const, reason: reasonOf(child) })))
      const said = (message: unknown) => {
        const read = Schema.decodeUnknownResult(BundlerMessage)(message)
        // What killed esbuild stands on standard error, which is complete once the process has closed.
        if (Result.isFailure(read) || read.success._tag === "Died") return killBounded(child.process)
        const taken = heard(read.success)
        if (taken !== null) end(Effect.succeed(taken))
      }
      const stopListening = () => void child.process.off("close", died).off("message", said)
      const end = (result: Effect.Effect<A | Died>) => {
        stopListening()
        resume(result)
      }
      if (!isAlive(child)) return died()
      child.process.on("close", died).on("message", said)
      // An order that cannot be sent has no one to take it: `close` follows.
      child.process.send(asked, () => undefined)
      return Effect.sync(stopListening)
    })
  )

/** Lets a child begin on the order that is foreseen, and waits until it has done what it can, or its death. */
export const begin = (child: BundlerChild, order: BundlerOrder) =>
  request(child, { _tag: "Begin", order }, (message) => message)

/** Gives a child its order and waits for the answer or its death. Does not stop it. */
export const order = (child: BundlerChild, job: BundlerOrder): Effect.Effect<Answered, BuilderUnavailable> =>
  request(child, { _tag: "Build", order: job }, (message) =>
    message._tag === "Begun" || message._tag === "Ready" || message._tag === "Died" ? null : message
  )
