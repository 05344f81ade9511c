/**
 * Durable processes: one command each, in steps. A finished step is in the journal and never repeated; each
 * step is fenced by the lease. A worker that dies leaves the rest to the next one.
 */
import { Cause, Context, Effect, Layer, Schedule } from "effect"
import type { Command, Lease, LeasedCommand } from "../event/Command.ts"
import { Commands } from "../event/Commands.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Commit } from "./Commit.ts"
import { Journal } from "./Journal.ts"
import { type Conflict, Ledger, type LeaseLost, type LedgerUnavailable } from "./Ledger.ts"
import { senderOf } from "../telemetry/Tracing.ts"

/** The process that is running: its command, its lease, and the steps it has finished. */
export class Process extends Context.Tag("@pawl/core/ledger/Processes/Process")<
  Process,
  { readonly command: Command; readonly lease: Lease; readonly steps: Map<string, unknown> }
>() {}

/** The process must wait for something; try again later without counting this try. */
export class Waiting {
  readonly _tag = "Waiting"
  readonly reason: string
  readonly delayMs: number
  constructor(reason: string, delayMs: number) {
    this.reason = reason
    this.delayMs = delayMs
  }
}

/** Runs work once: its result (JSON) is journalled, and a later run of the process answers it from there. */
export const step = <A, E, R>(name: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const process = yield* Process
    if (process.steps.has(name)) return process.steps.get(name) as A
    const result = yield* work
    yield* commitStep(name, { name: `${process.command.kind}.${name}`, projectId: process.command.projectId }, result)
    return result
  })

/** Commits state and ends the step `name` with it, in one. Answers the journalled result when the step was done before. */
export const commitStep = <A>(
  name: string,
  commit: Commit,
  result: A
): Effect.Effect<A, Conflict | LeaseLost | LedgerUnavailable, Process | Ledger | Journal> =>
  Effect.gen(function* () {
    const process = yield* Process
    if (process.steps.has(name)) return process.steps.get(name) as A
    const ledger = yield* Ledger
    const outcome = yield* ledger.commit({
      ...commit,
      journal: { process: process.command.id, step: name, result },
      lease: process.lease
    })
    // The step was recorded before, and its answer was lost: what stands in the journal is what happened.
    const recorded =
      outcome._tag === "Duplicate" ? ((yield* (yield* Journal).steps(process.command.id)).get(name) as A) : result
    process.steps.set(name, recorded)
    return recorded
  })

/** Runs the body of a leased command with its journal, renewing the lease meanwhile. The caller finishes or fails it. */
export const runLeased = <A, E, R>(leased: LeasedCommand, body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const steps = new Map(yield* (yield* Journal).steps(leased.command.id))
    const heartbeat = commands
      .renew(leased.lease, Limits.commandLeaseMs)
      .pipe(Effect.schedule(Schedule.spaced(Limits.commandLeaseMs / 3)), Effect.zipRight(Effect.never))
    return yield* Effect.raceFirst(
      Effect.provideService(body, Process, { command: leased.command, lease: leased.lease, steps }),
      heartbeat
    )
  })

/** The delay before the next try: doubled each time, within `Limits.commandBackoffMaxMs`. */
export const backoffMs = (attempts: number): number =>
  Math.min(Limits.commandBackoffMs * 2 ** Math.max(0, attempts - 1), Limits.commandBackoffMaxMs)

export interface Handler<R> {
  (command: Command): Effect.Effect<void, unknown, R>
  /** What becomes of the command's subject when its last try has failed. It runs before the dead letter is there, perhaps more than once. */
  readonly onDead?: (leased: LeasedCommand, problem: string) => Effect.Effect<void, unknown, R>
}
export type Handlers<R> = { readonly [K in Command["kind"]]?: Handler<R | Process> }

const settle = <R>(leased: LeasedCommand, problem: unknown, handler: Handler<R | Process> | undefined) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    if (problem instanceof Waiting) return yield* commands.release(leased.lease, problem.delayMs)
    const { command, lease } = leased
    if (command.attempts >= command.maxAttempts && handler?.onDead !== undefined)
      yield* Effect.provideService(handler.onDead(leased, describe(problem)), Process, {
        command,
        lease,
        steps: new Map()
      }) as Effect.Effect<void, unknown, Exclude<R, Process>>
    const outcome = yield* commands.fail(leased.lease, describe(problem), backoffMs(leased.command.attempts))
    yield* Effect.logWarning("command failed").pipe(Effect.annotateLogs({ outcome, problem: describe(problem) }))
  })

/** A problem in one line, for a dead letter. Typed facts carry no secrets. */
export const describe = (problem: unknown): string => {
  if (problem instanceof Error) return `${problem.name}: ${problem.message}`.slice(0, 2000)
  return String(problem).slice(0, 2000)
}

/** Runs one leased command to its end: finished, to be tried again, given back, or a dead letter. */
export const execute = <R>(leased: LeasedCommand, handlers: Handlers<R>) => {
  const handler = handlers[leased.command.kind]
  const { attempts, maxAttempts, kind } = leased.command
  // A worker died in the last try. It is not tried for ever: a person decides what becomes of it.
  const body =
    handler === undefined
      ? Effect.fail(`no handler for ${kind}`)
      : attempts > maxAttempts
        ? Effect.fail("the process died in its last try")
        : handler(leased.command)
  return runLeased(leased, body as Effect.Effect<void, unknown, R | Process>).pipe(
    Effect.sandbox,
    Effect.matchCauseEffect({
      onSuccess: () => Effect.flatMap(Commands, (commands) => commands.finish(leased.lease)),
      onFailure: (cause) => {
        const failure = flattenFailure(cause)
        return failure === "interrupted"
          ? Effect.flatMap(Commands, (commands) => commands.release(leased.lease, 0))
          : settle(leased, failure, handler)
      }
    }),
    // The lease was lost, or the store is away: whoever claims the command next goes on from the journal.
    Effect.catchAll((problem) => Effect.logWarning("command left to another worker", describe(problem))),
    Effect.annotateLogs(subjectsOf(leased.command)),
    // Under the span that sent the command, which another process may have ended long ago.
    Effect.withSpan("Processes.execute", {
      ...senderOf(leased.command.payload),
      kind: "consumer",
      attributes: subjectsOf(leased.command)
    })
  )
}

/** What a command is about, for logs and traces: ids, and nothing else of its payload. */
const subjectsOf = ({ id, kind, payload, projectId }: Command): Readonly<Record<string, string>> => {
  const subjects: Record<string, string> = { commandId: id, kind }
  if (projectId !== null) subjects["projectId"] = projectId
  for (const name of ["changeId", "candidateId", "releaseId", "taskId", "webhookId"]) {
    const value = payload[name]
    if (typeof value === "string") subjects[name] = value
  }
  return subjects
}

const flattenFailure = (cause: Cause.Cause<Cause.Cause<unknown>>): unknown => {
  const inner = Cause.flatten(cause)
  if (Cause.isInterruptedOnly(inner)) return "interrupted"
  const failure = Cause.failureOption(inner)
  return failure._tag === "Some" ? failure.value : Cause.squash(inner)
}

/** A worker that claims and runs commands, `concurrency` at a time, until it is interrupted. */
export const worker = <R>(options: {
  readonly name: string
  readonly concurrency: number
  readonly handlers: Handlers<R>
}) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const slots = yield* Effect.makeSemaphore(options.concurrency)
    const kinds = Object.keys(options.handlers) as ReadonlyArray<Command["kind"]>
    const turn = Effect.gen(function* () {
      yield* slots.take(1)
      const claimed = yield* commands
        .claim({ worker: options.name, kinds, limit: 1, leaseMs: Limits.commandLeaseMs })
        .pipe(Effect.catchAll((problem) => Effect.as(Effect.logWarning("claim failed", describe(problem)), [])))
      if (claimed.length === 0) {
        yield* slots.release(1)
        return yield* commands.awaitWork(1000)
      }
      for (const leased of claimed)
        yield* execute(leased, options.handlers).pipe(Effect.ensuring(slots.release(1)), Effect.forkScoped)
    })
    return yield* Effect.forever(turn)
  }).pipe(Effect.scoped)

export const layerWorker = <R>(options: {
  readonly name: string
  readonly concurrency: number
  readonly handlers: Handlers<R>
}) => Layer.scopedDiscard(Effect.forkScoped(worker(options)))
