/** One step of a consumer group: the effects of the next events, and the group's place after them, in one commit. */
import { Cause, Effect, Exit, Option } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import { type Conflict, Ledger, type LeaseLost, LedgerUnavailable } from "../ledger/Ledger.ts"
import { backoffMs } from "../work/Processes.ts"
import { describe } from "../primitives/Words.ts"
import type { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import { type Consumer, consumerKey } from "../model/Consumer.ts"
import type { Event } from "../model/Event.ts"
import { EventLog } from "./EventLog.ts"

/** What an event makes of the same Project. It is committed with the group's place: once. */
export type Effects = Pick<Commit.Commit, "expects" | "writes" | "events" | "commands">

/**
 * Not this event yet: the group waits for something, and is asked again at `dueAt` at the latest. Null: whoever ends the
 * wait goes on with the group.
 */
export class NotYet {
  readonly _tag = "NotYet"
  readonly dueAt: Time.Timestamp | null
  constructor(dueAt: Time.Timestamp | null) {
    this.dueAt = dueAt
  }
}

/** Reads and decides; it writes nothing itself. Null: the event means nothing to this group. */
export type Decide<R> = (event: Event) => Effect.Effect<Effects | NotYet | null, unknown, R>

/** Where a group stands. */
export type Step =
  /** Events were applied; there may be more. */
  | { readonly _tag: "Moved"; readonly sequence: number }
  /** There is nothing after `sequence`. */
  | { readonly _tag: "CaughtUp"; readonly sequence: number }
  /** The next event failed, or must wait, until `dueAt` or (null) until somebody goes on with it. */
  | { readonly _tag: "Waiting"; readonly sequence: number; readonly dueAt: Time.Timestamp | null }
  /** There is no such group any more. */
  | { readonly _tag: "Gone" }

/** The effects of several events were more than one commit can be. They may fit one by one. */
export interface TooMuch {
  readonly _tag: "TooMuch"
}

interface Batch {
  /** The last event in it. */
  readonly last: Event
  /** The first that has an effect; null when none has. */
  readonly first: Event | null
  /** How many events of it have effects. */
  readonly effects: number
  readonly commit: Effects
}

const rowsOf = (effects: Effects): number =>
  (effects.writes?.length ?? 0) +
  (effects.expects?.length ?? 0) +
  (effects.events?.length ?? 0) +
  (effects.commands?.length ?? 0)

/** Later decisions may read what these write, so they are committed before anything else is decided. */
const standsAlone = (effects: Effects): boolean =>
  (effects.writes?.length ?? 0) > 0 || (effects.expects?.length ?? 0) > 0 || (effects.events?.length ?? 0) > 0

const joined = (batch: Batch | null, last: Event, effects: Effects | null): Batch => ({
  last,
  first: batch?.first ?? (effects === null ? null : last),
  effects: (batch?.effects ?? 0) + (effects === null ? 0 : 1),
  commit:
    batch === null || batch.effects === 0
      ? (effects ?? {})
      : effects === null
        ? batch.commit
        : { commands: [...(batch.commit.commands ?? []), ...(effects.commands ?? [])] }
})

/** Leaves room for the group's own row and what a store adds. */
const batchRows = Limits.commitRows - 10

/**
 * Decides on events in order, for as long as their effects may share a commit. What ends it stays for the next step;
 * only when nothing came before it is it the answer.
 */
const gather = Effect.fnUntraced(function* <R>(events: ReadonlyArray<Event>, decide: Decide<R>, most: number) {
  let batch: Batch | null = null
  for (const event of events) {
    const decided = yield* decide(event).pipe(
      Effect.timeoutOrElse({ duration: Limits.consumerDecideMs, orElse: () => Effect.fail("it took too long") }),
      Effect.exit
    )
    if (Exit.isFailure(decided)) {
      if (Cause.hasInterruptsOnly(decided.cause)) return yield* Effect.interrupt
      return { batch, ended: decided.cause }
    }
    const effects = decided.value
    if (effects instanceof NotYet) return { batch, ended: effects }
    if (effects === null) {
      batch = joined(batch, event, null)
      continue
    }
    const before: Batch | null = batch
    const full =
      before !== null &&
      before.effects > 0 &&
      (before.effects >= most || standsAlone(effects) || rowsOf(before.commit) + rowsOf(effects) > batchRows)
    if (full) return { batch, ended: null }
    batch = joined(before, event, effects)
    if (standsAlone(effects)) return { batch, ended: null }
  }
  return { batch, ended: null }
})

const problemOf = (cause: Cause.Cause<unknown>): unknown =>
  Option.getOrElse(Cause.findErrorOption(cause), () => Cause.squash(cause))

/** The event that its group could not apply, as a command: one more try, then a dead letter for a person. */
const leftBehind = (consumer: Consumer, event: Event): NewCommand => ({
  kind: "event.consume",
  id: commandId("event.consume", `${consumerKey(consumer.projectId, consumer.group)}/${event.sequence}`),
  payload: { group: consumer.group, event },
  maxAttempts: 1
})

type Unapplied = Conflict | LeaseLost | LedgerUnavailable

/** Writes down that an event failed: it is tried again later, or left behind when all tries are used. */
const fail = Effect.fnUntraced(function* (
  stored: Commit.Stored<Consumer>,
  event: Event,
  problem: unknown
): Effect.fn.Return<Step, Unapplied, Ledger> {
  const { record } = stored
  const nowMs = yield* Time.nowMillis
  const now = Time.fromMillis(nowMs)
  const tries = (record.failing?.tries ?? 0) + 1
  const isLastTry = tries >= Limits.consumerAttempts
  const said = describe(problem)
  const dueAt = Time.fromMillis(nowMs + backoffMs(tries))
  // Events before it, without effect, may have been passed in this very step.
  const sequence = isLastTry ? event.sequence : event.sequence - 1
  yield* (yield* Ledger).commit({
    name: "EventRouter.fail",
    projectId: record.projectId,
    writes: [
      Commit.update("consumer", stored, {
        sequence,
        failing: isLastTry ? null : { tries, dueAt, problem: said },
        updatedAt: now
      })
    ],
    ...(isLastTry ? { commands: [leftBehind(record, event)] } : {})
  })
  // Only now: a router that came second may have failed on what the first one changed, and its commit did not hold.
  yield* Effect.logWarning(isLastTry ? "event left behind" : "event not applied").pipe(
    Effect.annotateLogs({ group: record.group, event: event.id, sequence: event.sequence, tries, problem: said })
  )
  return isLastTry ? { _tag: "Moved", sequence } : { _tag: "Waiting", sequence, dueAt }
})

/** Events that were gone before the group came to them are passed over. */
const jump = Effect.fnUntraced(function* (stored: Commit.Stored<Consumer>, oldest: number) {
  const { group, projectId, sequence } = stored.record
  yield* Effect.logWarning("events are gone by retention: the group goes on after them").pipe(
    Effect.annotateLogs({ group, project: projectId, from: sequence + 1, to: oldest - 1 })
  )
  const fields = { sequence: oldest - 1, failing: null, updatedAt: yield* Time.now }
  yield* (yield* Ledger).commit({
    name: "EventRouter.jump",
    projectId,
    writes: [Commit.update("consumer", stored, fields)]
  })
  return { _tag: "Moved", sequence: oldest - 1 } as const
})

/** Commits a batch. A commit that no store can take (it breaks a rule) is a fault of the consumer, not of the store. */
const commitBatch = Effect.fnUntraced(function* (stored: Commit.Stored<Consumer>, batch: Batch) {
  const { projectId } = stored.record
  const fields = { sequence: batch.last.sequence, failing: null, updatedAt: yield* Time.now }
  const { writes = [], ...rest } = batch.commit
  yield* (yield* Ledger).commit({
    name: "EventRouter.apply",
    projectId,
    ...rest,
    writes: [Commit.update("consumer", stored, fields), ...writes]
  })
  const moved: Step = { _tag: "Moved", sequence: batch.last.sequence }
  return moved
})

/** What is asked of a group, and the events that were read for it: the log never changes them. */
export interface Asked {
  readonly projectId: string
  readonly group: string
  readonly upTo: number
  ahead: ReadonlyArray<Event>
}

/** The events after a place, or how the step ends without them. */
const eventsAfter = Effect.fnUntraced(function* (stored: Commit.Stored<Consumer>, asked: Asked) {
  const { failing, projectId, sequence } = stored.record
  if (sequence >= asked.upTo) return { _tag: "CaughtUp", sequence } as const
  if (failing !== null && failing.dueAt > (yield* Time.now))
    return { _tag: "Waiting", sequence, dueAt: failing.dueAt } as const
  const next = asked.ahead.findIndex((event) => event.sequence === sequence + 1)
  if (next >= 0) asked.ahead = asked.ahead.slice(next)
  else {
    const read = yield* (yield* EventLog).read(projectId, sequence, Limits.eventsPageSize)
    asked.ahead = read.filter((event) => event.sequence <= asked.upTo)
  }
  return asked.ahead.length === 0 ? ({ _tag: "CaughtUp", sequence } as const) : asked.ahead
})

const isStoreAway = (problem: unknown): problem is LedgerUnavailable => problem instanceof LedgerUnavailable

/**
 * Applies what may be applied in one commit. `most` events with effects share it; `conflicts` says how often the
 * consumer's own commit met a Conflict before. Fails with Conflict when somebody else moved what was read.
 */
export const step = Effect.fnUntraced(function* <R>(
  asked: Asked,
  decide: Decide<R>,
  tried: { readonly most: number; readonly conflicts: number }
): Effect.fn.Return<Step | TooMuch, Unapplied, Ledger | Records | EventLog | R> {
  const stored = yield* find("consumer", consumerKey(asked.projectId, asked.group))
  if (stored === null) return { _tag: "Gone" }
  const events = yield* eventsAfter(stored, asked).pipe(
    Effect.catchTag("EventsExpired", ({ oldest }) => jump(stored, oldest))
  )
  if ("_tag" in events) return events
  // An event that failed before is tried by itself.
  const most = stored.record.failing === null ? tried.most : 1
  const { batch, ended } = yield* gather(events, decide, most)
  if (batch !== null) {
    const { effects, first } = batch
    if (first !== null && effects === 1 && tried.conflicts >= Limits.commitAttempts)
      return yield* fail(stored, first, "what it relies on kept changing")
    return yield* commitBatch(stored, batch).pipe(
      Effect.catchDefect((defect): Effect.Effect<Step | TooMuch, Unapplied, Ledger> => {
        if (first === null) return Effect.die(defect)
        return effects > 1 ? Effect.succeed({ _tag: "TooMuch" }) : fail(stored, first, defect)
      })
    )
  }
  if (ended instanceof NotYet) return { _tag: "Waiting", sequence: stored.record.sequence, dueAt: ended.dueAt }
  const problem = ended === null ? "nothing was decided" : problemOf(ended)
  if (isStoreAway(problem)) return yield* problem
  return yield* fail(stored, events[0]!, problem)
})

/** Whether the consumer's own commit met it, and not only another router at the same group. */
export const isOwnConflict = (conflict: Conflict): boolean => conflict.kind !== "consumer"
