/**
 * Applies each event of a Project once per consumer group, in order, whatever is delivered twice, late, or to a router
 * that dies. A group's place is a record that moves in the same commit as the event's effect; whoever comes second
 * finds it moved. A delivery only says "there may be something": the log is read from the place on.
 */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import type { Ledger, LedgerUnavailable } from "../ledger/Ledger.ts"
import { commitStep, Process, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import type { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { Consumer } from "../model/Consumer.ts"
import { type Asked, type Decide, isOwnConflict, NotYet, type Step, step } from "./Consumption.ts"
import type { Event } from "../model/Event.ts"
import { EventLog } from "./EventLog.ts"

/** Where a group came to. */
export type Routed = Exclude<Step, { readonly _tag: "Moved" }>

/** What a group does with events; null for a group that this version does not know. */
export type Groups<R> = (group: string) => Decide<R> | null

/** A new group, to be written in the Project's scope. It begins after the event `sequence`. */
export const newGroup = (projectId: Consumer["projectId"], group: string, sequence: number, now: Time.Timestamp) =>
  Commit.insert("consumer", { projectId, group, sequence, failing: null, updatedAt: now })

/**
 * Applies the Project's events to the group, in order, until it has caught up (with `upTo`, when given), must wait, or
 * is gone. An event that fails is tried `Limits.consumerAttempts` times with growing pauses; then it is left behind as
 * the command `event.consume`, and the group goes on. Fails only when the store is away; what was done then is safe to
 * ask for again.
 */
export const apply = <R>(
  group: string,
  projectId: string,
  decide: Decide<R>,
  upTo = Number.MAX_SAFE_INTEGER
): Effect.Effect<Routed, LedgerUnavailable, Ledger | Records | EventLog | R> =>
  Effect.gen(function* () {
    let most: number = Limits.consumerBatch
    let conflicts = 0
    const asked: Asked = { projectId, group, upTo, ahead: [] }
    for (;;) {
      const stepped = yield* step(asked, decide, { most, conflicts }).pipe(Effect.catchTag("Conflict", Effect.succeed))
      switch (stepped._tag) {
        case "Conflict":
          if (!isOwnConflict(stepped)) break
          // Alone, so that the one event that meets it can be told from the others.
          most = 1
          conflicts++
          break
        case "TooMuch":
          most = 1
          break
        case "Moved":
          conflicts = 0
          break
        default:
          return stepped
      }
    }
  }).pipe(
    // No lease is given, so none can be lost.
    Effect.catchTag("LeaseLost", Effect.die),
    Effect.withSpan("EventRouter.apply", { attributes: { group, projectId } })
  )

/** Takes a delivery of an event: duplicates change nothing, a gap before it is filled from the log. */
export const deliver = <R>(group: string, event: Event, decide: Decide<R>) =>
  apply(group, event.source.slice("/projects/".length), decide, event.sequence)

/** The event was applied. */
export const effectStep = JournalStep.make("effect", Schema.Null)

/** Applies an event that was left behind, once: the body of the command `event.consume`. */
export const applyLate = <R>(decide: Decide<R>, event: Event) =>
  Effect.gen(function* () {
    const { command } = yield* Process
    const effects = yield* decide(event)
    if (effects instanceof NotYet) {
      const dueMs =
        effects.dueAt === null ? Limits.routerLookMs : Time.toMillis(effects.dueAt) - (yield* Time.nowMillis)
      return yield* Effect.fail(new Waiting("the group waits", Math.max(0, dueMs)))
    }
    yield* commitStep(effectStep, { name: "EventRouter.applyLate", projectId: command.projectId, ...effects }, null)
  }).pipe(
    Effect.retry({
      while: (error) => typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict",
      times: Limits.commitAttempts
    })
  )

/** The sequence of a Project's newest event; 0 when it has none. Found by halving: a dense sequence has no holes. */
export const newestSequence = Effect.fnUntraced(function* (projectId: string) {
  const log = yield* EventLog
  const isAfter = (sequence: number) =>
    log.read(projectId, sequence, 1).pipe(
      Effect.map((events) => events.length > 0),
      Effect.catchTag("EventsExpired", () => Effect.succeed(true))
    )
  let [least, beyond] = [0, 1]
  while (yield* isAfter(beyond - 1)) [least, beyond] = [beyond, beyond * 2]
  // `least` is there (or 0), `beyond` is not.
  while (beyond - least > 1) {
    const middle = Math.floor((least + beyond) / 2)
    if (yield* isAfter(middle - 1)) least = middle
    else beyond = middle
  }
  return least
})
