/** `Sandbox` without walls and without commands: a script says how each job ends. For tests of what uses it. */
import { Clock, Deferred, Effect, FiberSet, Layer, Option } from "effect"
import { utf8 } from "@pawl/core/primitives/Digest"
import {
  type Isolation,
  Sandbox,
  type SandboxJob,
  type SandboxOutcome,
  type SandboxResult,
  type SandboxState,
  SandboxUnavailable
} from "@pawl/core/verification/Sandbox"

/** How a job ends, and what it printed. */
export interface Scripted {
  readonly outcome: SandboxOutcome
  /** Cut at `limits.outputBytes`, as a real sandbox would. Default: nothing. */
  readonly output?: string
  /** What it left, by path; of it `collect` gives back what is asked for. Default: nothing. */
  readonly left?: Readonly<Record<string, string>>
}

/** From a job to its end; an effect may take its time, never end, or fail as a broken runner does. */
export type SandboxScript = (job: SandboxJob) => Scripted | Effect.Effect<Scripted, SandboxUnavailable>

const isolation: Isolation = { name: "memory", version: "1", guarantees: [] }

/** What is asked for of what a command left, within its bounds. */
const collectedOf = ({ collect }: SandboxJob, { left, outcome }: Scripted): Pick<SandboxResult, "collected"> => {
  if (collect === undefined || outcome._tag !== "Exited" || outcome.code !== 0) return {}
  const files = new Map<string, { readonly content: Uint8Array; readonly executable: boolean }>()
  let bytes = 0
  for (const [path, text] of Object.entries(left ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!collect.paths.some((asked) => path === asked || path.startsWith(`${asked}/`))) continue
    const content = utf8(text)
    bytes += content.byteLength
    files.set(path, { content, executable: false })
  }
  if (bytes > collect.maxBytes)
    return { collected: { _tag: "TooMuch", reason: `the files take more than ${collect.maxBytes} bytes` } }
  if (files.size > collect.maxFiles)
    return { collected: { _tag: "TooMuch", reason: `there are more than ${collect.maxFiles} files` } }
  return { collected: { _tag: "Files", files } }
}

const resultOf = (job: SandboxJob, scripted: Scripted, startedAtMs: number, finishedAtMs: number): SandboxResult => {
  const output = utf8(scripted.output ?? "")
  return {
    outcome: scripted.outcome,
    output: output.slice(0, job.limits.outputBytes),
    outputTruncated: output.length > job.limits.outputBytes,
    ...collectedOf(job, scripted),
    isolation,
    startedAtMs,
    finishedAtMs
  }
}

const finished = (result: SandboxResult): SandboxState => ({ _tag: "Finished", result })
const running: SandboxState = { _tag: "Running" }

type Result = Deferred.Deferred<SandboxResult, SandboxUnavailable>

const make = Effect.fnUntraced(function* (script: SandboxScript) {
  const jobs = new Map<string, Result>()
  const fibers = yield* FiberSet.make()

  const perform = Effect.fnUntraced(function* (job: SandboxJob, result: Result) {
    const startedAtMs = yield* Clock.currentTimeMillis
    const scripted = script(job)
    const end = Effect.isEffect(scripted) ? scripted : Effect.succeed(scripted)
    yield* Deferred.complete(
      result,
      Effect.flatMap(end, (value) =>
        Effect.map(Clock.currentTimeMillis, (now) => resultOf(job, value, startedAtMs, now))
      )
    )
  })

  const start = Effect.fnUntraced(function* (job: SandboxJob) {
    if (!jobs.has(job.id)) {
      const result = yield* Deferred.make<SandboxResult, SandboxUnavailable>()
      jobs.set(job.id, result)
      yield* FiberSet.run(fibers, perform(job, result))
    }
    return { id: job.id }
  })

  const poll = Effect.fnUntraced(function* ({ id }: { readonly id: string }, waitMs: number) {
    const result = jobs.get(id)
    if (result === undefined) return yield* new SandboxUnavailable({ reason: `no job ${id} here` })
    const done = yield* Deferred.poll(result)
    if (Option.isSome(done)) return finished(yield* done.value)
    if (waitMs <= 0) return running
    const waited = yield* Effect.timeoutOption(Deferred.await(result), waitMs)
    return Option.match(waited, { onNone: () => running, onSome: finished })
  })

  const cancel = ({ id }: { readonly id: string }) => Effect.sync(() => void jobs.delete(id))

  return Sandbox.of({ isolation: Effect.succeed(isolation), start, poll, cancel })
})

/** A sandbox whose jobs end as the script says. It guarantees nothing. */
export const layerMemory = (script: SandboxScript): Layer.Layer<Sandbox> => Layer.effect(Sandbox, make(script))
