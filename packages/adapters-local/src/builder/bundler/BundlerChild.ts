/** Starts, watches and kills the process of one build. */
import { BuilderUnavailable } from "@pawl/core/bundle/AppBuilder"
import { LocalLimits } from "../../LocalLimits.ts"
import { boundedArgv, lastNoMore, ownProgram } from "../../OwnProgram.ts"
import { startHere } from "../../spawner/StartHere.ts"
import type { Starter } from "../../spawner/Starter.ts"
import { startTold, ToldProcess } from "../../spawner/ToldProcess.ts"
import { Effect, Result, Schedule, Schema } from "effect"
import { bundler } from "./Bundler.ts"
import type { Answered, Died } from "./BuildRun.ts"
import { BundlerMessage, type BundlerOrder, type BundlerRequest } from "./BundlerMessages.ts"
import { triesFirst } from "./FirstOrder.ts"

/** One running process, which serves one build. */
export interface BundlerChild {
  readonly process: ToldProcess
  /** Whether it has bundled something by the time that it is ready. */
  readonly isTried: boolean
  /** How long it goes last while it is asked for something, in milliseconds. */
  readonly lastMs: number
  /** Settles when the process can take an order; rejects with the reason when it ended before. */
  readonly ready: Promise<void>
  /** Settles when the process has ended and so has esbuild's, which holds the same standard error. */
  readonly closed: Promise<void>
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

/**
 * Starts a process in a group of its own, so that esbuild's dies with it. A failure to start rejects `ready`. `isTried`: it
 * bundles something before it is ready, so that its own order takes less.
 */
export const startChild = (
  { heapBytes, memoryBytes }: ChildLimits = childLimits,
  {
    isTried = true,
    lastMs = LocalLimits.lowSessionMs,
    start = startHere
  }: { readonly isTried?: boolean; readonly lastMs?: number; readonly start?: Starter } = {}
): BundlerChild => {
  const own = isTried ? [...program, triesFirst] : program
  const argv = boundedArgv(own, { dataBytes: memoryBytes, heapBytes, last: true })
  const child = new ToldProcess(startTold(start, argv), memoryBytes)
  const ready = new Promise<void>((resolve, reject) => {
    child.once("exit", () => {
      const why = child.pid === null ? child.stderr : "the process of the build ended at once"
      reject(new Error(why))
    })
    child.once("message", (message: unknown) => {
      const said = Schema.decodeUnknownResult(BundlerMessage)(message)
      if (Result.isSuccess(said) && said.success._tag === "Ready" && said.success.version === bundler.version) resolve()
      else reject(new Error(`the process of the build is not esbuild ${bundler.version}`))
    })
  })
  // A spare that dies unused is no one's failure; who takes it sees the rejection.
  ready.catch(() => undefined)
  const closed = new Promise<void>((resolve) => child.once("close", resolve))
  return { process: child, isTried, lastMs, ready, closed }
}

/** Whether an order can still be sent to it. */
export const isAlive = (child: BundlerChild): boolean => child.process.ended === null

/** Kills the process with esbuild's and waits until both have let go of what they held. */
export const stopChild = (child: BundlerChild): Effect.Effect<void> =>
  Effect.suspend(() => {
    child.process.kill()
    return Effect.promise(() => child.closed)
  })

/** Why a bundler died, in words: from what it left on standard error. */
const reasonOf = ({ process: { ended, stderr: text } }: BundlerChild): string => {
  if (/stack overflow|goroutine stack exceeds|Maximum call stack/.test(text))
    return "The bundler ran out of stack: some of the source is nested too deeply."
  if (/out of memory|heap limit|cannot allocate/i.test(text)) return "The bundler ran out of memory."
  return `The bundler ended by itself (${ended?.signal ?? `exit ${ended?.code ?? "unknown"}`}).`
}

/** What is said of a process that has ended: of one that went with who forked it, nothing. */
const death = (child: BundlerChild): Effect.Effect<Died, BuilderUnavailable> =>
  Effect.suspend(() =>
    child.process.ended?.lost === true
      ? Effect.fail(new BuilderUnavailable({ reason: "who forks for the build ended" }))
      : Effect.succeed({ _tag: "Died", reason: reasonOf(child) })
  )

/** Waits until a process can take an order. */
export const isReady = (child: BundlerChild): Effect.Effect<void, BuilderUnavailable> =>
  Effect.tryPromise({
    try: () => child.ready,
    catch: (error) =>
      new BuilderUnavailable({
        reason: error instanceof Error ? error.message : "the process of the build could not start"
      })
  })

/** Has it weighed as any other, or finds that it has ended. */
const weighed = (child: BundlerChild): Effect.Effect<unknown> =>
  Effect.sync(() => !isAlive(child) || (child.process.pid !== null && lastNoMore(child.process.pid))).pipe(
    Effect.repeat({ until: (done) => done, schedule: Schedule.spaced(LocalLimits.lowSessionAgainMs) })
  )

/**
 * Where others burn every core, who goes last for good gets too little to be done in time. A process that was not begun by
 * then puts itself last after that: so it is done once more when it is ready.
 */
const goesOn = (child: BundlerChild): Effect.Effect<never> =>
  weighed(child).pipe(
    Effect.delay(child.lastMs),
    Effect.andThen(Effect.ignore(isReady(child))),
    Effect.andThen(weighed(child)),
    Effect.andThen(Effect.never)
  )

/** Sends a request and listens until `heard` takes a message, or the process has ended. A message that is none kills it. */
const request = <A>(
  child: BundlerChild,
  asked: BundlerRequest,
  heard: (message: BundlerMessage) => A | null
): Effect.Effect<A | Died, BuilderUnavailable> =>
  Effect.raceFirst(
    goesOn(child),
    Effect.andThen(
      isReady(child),
      Effect.callback<A | Died, BuilderUnavailable>((resume) => {
        const died = () => end(death(child))
        const said = (message: unknown) => {
          const read = Schema.decodeUnknownResult(BundlerMessage)(message)
          // What killed esbuild stands on standard error, which is complete once the process has closed.
          if (Result.isFailure(read) || read.success._tag === "Died") return child.process.kill()
          const taken = heard(read.success)
          if (taken !== null) end(Effect.succeed(taken))
        }
        const stopListening = () => void child.process.off("close", died).off("message", said)
        const end = (result: Effect.Effect<A | Died, BuilderUnavailable>) => {
          stopListening()
          resume(result)
        }
        if (!isAlive(child)) return died()
        child.process.on("close", died).on("message", said)
        // An order that cannot be sent has no one to take it: `close` follows.
        child.process.send(asked)
        return Effect.sync(stopListening)
      })
    )
  )

/** Lets a child begin on the order that is foreseen, and waits until it has done what it can, or its death. */
export const begin = (child: BundlerChild, order: BundlerOrder) =>
  request(child, { _tag: "Begin", order }, (message) => message)

/** Gives a child its order and waits for the answer or its death. Does not stop it. */
export const order = (child: BundlerChild, job: BundlerOrder): Effect.Effect<Answered, BuilderUnavailable> =>
  request(child, { _tag: "Build", order: job }, (message) =>
    message._tag === "Begun" || message._tag === "Ready" || message._tag === "Died" ? null : message
  )
