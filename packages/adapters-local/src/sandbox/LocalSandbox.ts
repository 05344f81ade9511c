/** The port over whichever isolation proves itself on this machine: bubblewrap, else util-linux, else none. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  IsolationMissing,
  Sandbox,
  type SandboxHandle,
  type SandboxJob,
  type SandboxResult,
  type SandboxState,
  SandboxUnavailable
} from "@pawl/core/verification/Sandbox"
import { steadyMillisOf } from "@pawl/core/primitives/Time"
import { Clock, Deferred, Effect, Layer, Option } from "effect"
import { chooseIsolation, type Chosen, type IsolationChoice } from "./IsolationChoice.ts"
import { Processes } from "../spawner/Processes.ts"
import { isCovered, type SandboxRun, startRun } from "./SandboxRun.ts"
import type { Supervisor } from "./Supervisor.ts"
import { isTreePath } from "./TarStream.ts"

interface Running {
  readonly run: SandboxRun
  readonly result: Deferred.Deferred<SandboxResult, SandboxUnavailable>
}

const unavailable = (reason: string, lasting?: true) =>
  new SandboxUnavailable({ reason, ...(lasting === undefined ? {} : { lasting }) })

/** What no sandbox could run; told before anything starts. */
const refusal = (job: SandboxJob): string | null => {
  const path = [...job.files.keys()].find((name) => !isTreePath(name))
  if (path !== undefined) return `not a path inside a tree: ${JSON.stringify(path)}`
  const wanted = job.collect?.paths.find((each) => !isTreePath(each))
  if (wanted !== undefined) return `not a path that can be collected: ${JSON.stringify(wanted)}`
  const name = Object.keys(job.environment).find((variable) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
  if (name !== undefined) return `not a name of a variable: ${JSON.stringify(name)}`
  if ([job.command, ...Object.values(job.environment)].some((text) => text.includes("\0")))
    return "a NUL in the command"
  const sizeBytes = [...job.files.values()].reduce((sum, file) => sum + file.content.length, 0)
  if (sizeBytes > job.limits.diskBytes) return `the files need ${sizeBytes} bytes, the disk has ${job.limits.diskBytes}`
  return null
}

/** The `node_modules` that a job's packages name, on the host; null for a job without. Throws when it is not there. */
const layerOf = ({ packages }: SandboxJob, folder: string | undefined): string | null => {
  if (packages === undefined) return null
  const place = join(folder ?? "/nowhere", packages, "node_modules")
  if (folder === undefined || !/^[0-9a-f]{64}$/.test(packages) || !existsSync(place))
    throw new Error(`its packages are not on this machine (layer ${JSON.stringify(packages.slice(0, 64))})`)
  return place
}

const encoder = new TextEncoder()
const covered = encoder.encode(
  "pawl: node_modules/ of the source is not used: the packages of the lock file stand in its place\n"
)

/** What a job printed, with a line in front when files of its source are not to be seen. */
const printed = (job: SandboxJob, output: Uint8Array, outputTruncated: boolean) => {
  if (![...job.files.keys()].some((path) => isCovered(job, path))) return { output, outputTruncated }
  const all = Buffer.concat([covered, output])
  const { outputBytes } = job.limits
  return {
    output: new Uint8Array(all.subarray(0, outputBytes)),
    outputTruncated: outputTruncated || all.length > outputBytes
  }
}

const notSpawned = (cause: unknown) =>
  unavailable(`the sandbox could not be spawned: ${cause instanceof Error ? cause.message : String(cause)}`)

/** All in one step, so that two calls for one id cannot both begin. Throws when its packages are not there. */
const begin = (job: SandboxJob, chosen: Chosen, clock: Clock.Clock, layers: string | undefined): Running => {
  const result = Deferred.makeUnsafe<SandboxResult, SandboxUnavailable>()
  const startedAtMs = clock.currentTimeMillisUnsafe()
  const begunMs = steadyMillisOf(clock)
  const run = startRun(chosen.supervisor, job, layerOf(job, layers))
  run.started.catch((cause: unknown) => Deferred.doneUnsafe(result, Effect.fail(notSpawned(cause))))
  const finish = run.end.then(({ collected, outcome, output, outputTruncated }) => {
    if (outcome._tag === "Lost") return Deferred.doneUnsafe(result, Effect.fail(unavailable(outcome.reason)))
    // What it took is paid for, whatever became of the time meanwhile.
    const finishedAtMs = startedAtMs + Math.round(steadyMillisOf(clock) - begunMs)
    const { isolation } = chosen
    const value: SandboxResult = {
      outcome,
      ...printed(job, output, outputTruncated),
      ...(collected === undefined ? {} : { collected }),
      isolation,
      startedAtMs,
      finishedAtMs
    }
    return Deferred.doneUnsafe(result, Effect.succeed(value))
  })
  finish.catch((cause: unknown) => Deferred.doneUnsafe(result, Effect.die(cause)))
  return { run, result }
}

const finished = (result: SandboxResult): SandboxState => ({ _tag: "Finished", result })

const waitFor = Effect.fnUntraced(function* (
  { result }: Running,
  waitMs: number
): Effect.fn.Return<SandboxState, SandboxUnavailable> {
  const done = yield* Deferred.poll(result)
  if (Option.isSome(done)) return finished(yield* done.value)
  if (waitMs <= 0) return { _tag: "Running" } as const
  const waited = yield* Deferred.await(result).pipe(Effect.timeoutOption(waitMs))
  return Option.match(waited, { onNone: (): SandboxState => ({ _tag: "Running" }), onSome: finished })
})

const prepare = (choice: IsolationChoice): Effect.Effect<Chosen, IsolationMissing> =>
  Effect.promise(() => chooseIsolation(choice)).pipe(
    Effect.flatMap((found) =>
      "supervisor" in found ? Effect.succeed(found) : Effect.fail(new IsolationMissing(found))
    )
  )

const make = Effect.fnUntraced(function* (wanted: IsolationChoice) {
  const choice = { start: yield* Processes, ...wanted }
  const jobs = new Map<string, Running>()
  let supervisor: Supervisor | null = null
  // Whoever asks waits for the end: an answer that all its askers had left would not be kept, nor its folder removed.
  const chosen = Effect.uninterruptible(
    yield* Effect.cached(Effect.tap(prepare(choice), (found) => Effect.sync(() => (supervisor = found.supervisor))))
  )
  const end = (id: string, job: Running) =>
    Effect.promise(() => {
      job.run.kill()
      // One that never began has ended.
      return job.run.end.then(
        () => undefined,
        () => undefined
      )
    }).pipe(Effect.andThen(Effect.sync(() => jobs.get(id) === job && jobs.delete(id))))

  yield* Effect.addFinalizer(() =>
    Effect.forEach([...jobs], ([id, job]) => end(id, job), { concurrency: "unbounded", discard: true }).pipe(
      Effect.ensuring(Effect.sync(() => supervisor?.close()))
    )
  )

  const begun = Effect.fnUntraced(function* (job: SandboxJob, found: Chosen, clock: Clock.Clock) {
    const running = yield* Effect.try({
      try: () => jobs.get(job.id) ?? begin(job, found, clock, choice.packageLayers),
      catch: notSpawned
    })
    jobs.set(job.id, running)
    // Whoever leaves meanwhile must know of it: nobody else ends it.
    yield* Effect.tryPromise({ try: () => running.run.started, catch: notSpawned }).pipe(
      Effect.uninterruptible,
      Effect.tapError(() => Effect.sync(() => jobs.get(job.id) === running && jobs.delete(job.id)))
    )
    return { id: job.id } satisfies SandboxHandle
  })

  const start = (job: SandboxJob): Effect.Effect<SandboxHandle, IsolationMissing | SandboxUnavailable> =>
    Effect.gen(function* () {
      const found = yield* chosen
      const refused = refusal(job)
      if (refused !== null) return yield* unavailable(refused, true)
      return yield* begun(job, found, yield* Clock.Clock)
    }).pipe(Effect.withSpan("Sandbox.start", { attributes: { id: job.id } }))

  const poll = (handle: SandboxHandle, waitMs: number) =>
    Effect.suspend(() => {
      const job = jobs.get(handle.id)
      return job === undefined ? Effect.fail(unavailable(`no job ${handle.id} here`)) : waitFor(job, waitMs)
    })

  const cancel = (handle: SandboxHandle) =>
    Effect.suspend(() => {
      const job = jobs.get(handle.id)
      return job === undefined ? Effect.void : end(handle.id, job)
    })

  return Sandbox.of({ isolation: Effect.map(chosen, (found) => found.isolation), start, poll, cancel })
})

/**
 * The `Sandbox` of this machine. Jobs live in this process: they die with the layer's scope, and with the process. Which
 * isolation works is tried at the first job, once.
 */
export const layer = (choice: IsolationChoice = {}): Layer.Layer<Sandbox> => Layer.effect(Sandbox, make(choice))
