/**
 * Durable processes: one command each, in steps. A finished step is in the journal and never repeated; each
 * step is fenced by the lease. A worker that dies leaves the rest to the next one.
 */
import { Cause, Context, Effect, Exit, Schedule } from "effect"
import type { Command, Lease, LeasedCommand } from "../model/Command.ts"
import { Commands } from "./Commands.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Commit } from "../ledger/Commit.ts"
import { Journal } from "./Journal.ts"
import { type Conflict, Ledger, LeaseLost, type LedgerUnavailable } from "../ledger/Ledger.ts"
import { askedMs, backoffMs, isOutage, pauseMs } from "./Outages.ts"
import { JournalUnreadable, type JournalStep } from "./JournalStep.ts"
import { describe } from "../primitives/Words.ts"
import { nowMillis } from "../primitives/Time.ts"
import { senderOf } from "../telemetry/SpanTracer.ts"

/** The process that is running: its command, its lease, and the steps it has finished. */
export class Process extends Context.Service<
  Process,
  { readonly command: Command; readonly lease: Lease; readonly steps: Map<string, unknown> }
>()("@pawl/core/work/Processes/Process") {}

export { backoffMs } from "./Outages.ts"

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

/** Whether the running process has done a step. */
export const isDone = (step: Pick<JournalStep<never>, "name">) =>
  Effect.map(Process, ({ steps }) => steps.has(step.name))

/** What a step of the running process came to; `undefined` when it was not done yet. */
export const journalled = Effect.fnUntraced(function* <A>(
  step: JournalStep<A>
): Effect.fn.Return<A | undefined, JournalUnreadable, Process> {
  const { command, steps } = yield* Process
  return steps.has(step.name) ? yield* step.read(command.id, steps.get(step.name)) : undefined
})

/** Runs the work of a step once: its result is journalled, and a later run of the process answers it from there. */
export const step = Effect.fnUntraced(function* <A, E, R>(each: JournalStep<A>, work: Effect.Effect<A, E, R>) {
  const { command, steps } = yield* Process
  if (steps.has(each.name)) return yield* each.read(command.id, steps.get(each.name))
  const result = yield* work
  const { keeping, name } = each
  yield* commitStep(each, { name: `${command.kind}.${name}`, projectId: command.projectId, keeping }, result)
  return result
})

/** Commits state and ends a step with it, in one. Answers the journalled result when the step was done before. */
export const commitStep = Effect.fnUntraced(function* <A>(
  each: JournalStep<A>,
  commit: Commit,
  result: NoInfer<A>
): Effect.fn.Return<A, Conflict | LeaseLost | LedgerUnavailable | JournalUnreadable, Process | Ledger | Journal> {
  const { command, lease, steps } = yield* Process
  if (steps.has(each.name)) return yield* each.read(command.id, steps.get(each.name))
  const written = each.write(result)
  const journal = { process: command.id, step: each.name, result: written }
  const outcome = yield* (yield* Ledger).commit({ ...commit, journal, lease })
  // The step was recorded before, and its answer was lost: what stands in the journal is what happened.
  const recorded = outcome._tag === "Duplicate" ? (yield* (yield* Journal).steps(command.id)).get(each.name) : written
  steps.set(each.name, recorded)
  return outcome._tag === "Duplicate" ? yield* each.read(command.id, recorded) : result
})

/** Renews a lease until it is lost. A store that is away for a moment costs nothing while the lease has time left. */
const keepLease = Effect.fnUntraced(function* (lease: Lease) {
  const commands = yield* Commands
  const lost = () => new LeaseLost({ commandId: lease.commandId })
  for (let endsAt = (yield* nowMillis) + Limits.commandLeaseMs; ;) {
    yield* Effect.sleep(Limits.commandLeaseMs / 3)
    const askedAt = yield* nowMillis
    yield* commands.renew(lease, Limits.commandLeaseMs).pipe(
      Effect.retry({ while: isOutage, schedule: again }),
      // Nobody may work on beyond the end of the lease, whatever the store answers by then.
      Effect.timeoutOrElse({ duration: Math.max(0, endsAt - askedAt), orElse: lost })
    )
    endsAt = askedAt + Limits.commandLeaseMs
  }
})

/** At once, then each second: the store may have lost only this one answer. */
const again = Schedule.concat(Schedule.recurs(1), Schedule.spaced(Limits.commandBackoffMs))

/** Runs the body of a leased command with its journal, renewing the lease meanwhile. The caller finishes or fails it. */
const runLeased = Effect.fnUntraced(function* <A, E, R>(leased: LeasedCommand, body: Effect.Effect<A, E, R>) {
  const steps = new Map(yield* (yield* Journal).steps(leased.command.id))
  return yield* Effect.raceFirst(
    Effect.provideService(body, Process, { command: leased.command, lease: leased.lease, steps }),
    keepLease(leased.lease)
  )
})

/** Does the work of a command. It may be run again for the same command, so each step of it bears repeating. */
export interface Handler<R> {
  (command: Command): Effect.Effect<void, unknown, R>
  /** What becomes of the command's subject when its last try has failed. It runs before the dead letter is there, perhaps more than once. */
  readonly onDead?: (leased: LeasedCommand, problem: string) => Effect.Effect<void, unknown, R>
  /** What becomes of the command's subject while machinery is away: it is told why it waits, and for how long. */
  readonly onOutage?: (leased: LeasedCommand, problem: unknown, waitMs: number) => Effect.Effect<void, unknown, R>
  /** The pause after the `n`th try that failed, ms; doubled each time, within 5 minutes, when not said. How many tries there are is said by who sends the command. */
  readonly pauseMs?: (n: number) => number
}
/** Handlers by the kind of command. A worker claims only kinds that have one. */
export type Handlers<R> = { readonly [K in Command["kind"]]?: Handler<R | Process> }

/** Its process was gone in the middle of it too often: it may be the work that ends processes. */
class DiedTooOften {
  readonly reason: string
  constructor(deaths: number) {
    this.reason = `the process died ${deaths} times while it ran`
  }
}

/** Does what belongs to the end of a command's body under its lease, with none of its steps. */
const asProcess = <E, R>({ command, lease }: LeasedCommand, work: Effect.Effect<void, E, R | Process>) =>
  Effect.provideService(work, Process, { command, lease, steps: new Map() })

/** What becomes of a command whose body did not come to its end. */
const settle = Effect.fnUntraced(function* <R>(
  leased: LeasedCommand,
  problem: unknown,
  handler: Handler<R | Process> | undefined
) {
  const commands = yield* Commands
  const { command, lease } = leased
  if (problem instanceof Waiting) return yield* commands.release(lease, problem.delayMs)
  const outage = isOutage(problem)
  const waitMs = outage ? pauseMs(leased.outage, yield* nowMillis, askedMs(problem)) : null
  if (waitMs !== null) {
    yield* Effect.logWarning("command waits").pipe(Effect.annotateLogs({ waitMs, problem: describe(problem) }))
    if (handler?.onOutage !== undefined) yield* asProcess(leased, handler.onOutage(leased, problem, waitMs))
    return yield* commands.release(lease, waitMs, "outage")
  }
  // What another version journalled is not read any better by trying again.
  const isOver = outage || problem instanceof DiedTooOften || problem instanceof JournalUnreadable
  const text = problem instanceof DiedTooOften ? problem.reason : describe(problem)
  if ((isOver || command.attempts >= command.maxAttempts) && handler?.onDead !== undefined)
    yield* asProcess(leased, handler.onDead(leased, text))
  const delayMs = isOver ? null : (handler?.pauseMs ?? backoffMs)(command.attempts)
  const outcome = yield* commands.fail(lease, text, delayMs)
  yield* Effect.logWarning("command failed").pipe(Effect.annotateLogs({ outcome, problem: text }))
})

const bodyOf = <R>({ command, deaths }: LeasedCommand, handler: Handler<R> | undefined) => {
  if (handler === undefined) return Effect.fail(`no handler for ${command.kind}`)
  // It is not begun for ever: a person decides what becomes of it.
  return deaths > Limits.commandDeaths ? Effect.fail(new DiedTooOften(deaths)) : handler(command)
}

/** Tells a stop of the worker from work that interrupted itself: only in the first is anybody waiting for this fiber to end. */
const isStopping = Effect.map(Effect.exit(Effect.interruptible(Effect.void)), Exit.hasInterrupts)

/** Says what became of a command, and says it again while the store is away: until its lease is over, or the worker stops. */
const insist = <E, R>(ending: Effect.Effect<void, E, R>, untilMs: number, pauseMs = 0): Effect.Effect<void, E, R> =>
  Effect.catchIf(ending, isOutage, (problem) =>
    Effect.flatMap(nowMillis, (now) =>
      now + pauseMs > untilMs
        ? Effect.fail(problem)
        : Effect.andThen(Effect.interruptible(Effect.sleep(pauseMs)), insist(ending, untilMs, Limits.commandBackoffMs))
    )
  )

/**
 * Runs one leased command to its end: finished, to be tried again, given back, or a dead letter. A worker that is stopped
 * gives it back before it ends, so that the next one has it at once and no try is counted. Only the body can be
 * interrupted, also where this is forked as something that cannot: a stop before the first step gives it back too.
 */
export const execute = <R>(leased: LeasedCommand, handlers: Handlers<R>) => {
  const handler = handlers[leased.command.kind]
  const body = bodyOf(leased, handler) as Effect.Effect<void, unknown, R | Process>
  return Effect.uninterruptible(
    Effect.gen(function* () {
      const commands = yield* Commands
      const exit = yield* Effect.exit(Effect.interruptible(runLeased(leased, body)))
      if (Exit.isFailure(exit) && (yield* isStopping)) return yield* commands.release(leased.lease, 0, "stopped")
      const ending = Exit.isSuccess(exit)
        ? commands.finish(leased.lease)
        : settle(leased, failureIn(exit.cause), handler)
      yield* insist(ending, (yield* nowMillis) + Limits.commandLeaseMs)
    })
  ).pipe(
    // The lease was lost, or the store is away: whoever claims the command next goes on from the journal.
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.logWarning("command left to another worker", describe(Cause.squash(cause)))
    ),
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

const failureIn = (cause: Cause.Cause<unknown>): unknown => {
  const failure = Cause.findErrorOption(cause)
  return failure._tag === "Some" ? failure.value : Cause.squash(cause)
}
