/**
 * Applies each event of a Project once per consumer group, in order, whatever is delivered twice, late, or to a router
 * that dies. A group's place is a record that moves in the same commit as the event's effect; whoever comes second
 * finds it moved. A delivery only says "there may be something": the log is read from the place on.
 */
import { Effect, FiberMap, Schedule, Stream } from "effect"
import * as Commit from "../ledger/Commit.ts"
import type { Ledger, LedgerUnavailable } from "../ledger/Ledger.ts"
import { commitStep, describe, Process, Waiting } from "../ledger/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { Consumer } from "./Consumer.ts"
import { type Asked, type Decide, isOwnConflict, NotYet, type Step, step } from "./Consuming.ts"
import type { Event } from "./Event.ts"
import { EventLog } from "./EventLog.ts"

/** Where a group came to. */
export type Routed = Exclude<Step, { readonly _tag: "Moved" }>

/** What a group does with events; null for a group that this version does not know. */
export type Groups<R> = (group: string) => Decide<R> | null

/** A new group, to be written in the Project's scope. It begins after the event `sequence`. */
export const joining = (projectId: Consumer["projectId"], group: string, sequence: number, now: Time.Timestamp) =>
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
    const asked: Asked = { projectId, group, upTo, ahead: [], newest: null }
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

/** Applies an event that was left behind, once: the body of the command `event.consume`. */
export const applyLate = <R>(decide: Decide<R>, event: Event) =>
  Effect.gen(function* () {
    const { command } = yield* Process
    const effects = yield* decide(event)
    if (effects instanceof NotYet)
      return yield* Effect.fail(
        new Waiting("the group waits", Math.max(0, Time.toMillis(effects.dueAt) - (yield* Time.nowMillis)))
      )
    yield* commitStep("effect", { name: "EventRouter.applyLate", projectId: command.projectId, ...effects }, null)
  }).pipe(
    Effect.retry({
      while: (error) => typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict",
      times: Limits.commitAttempts
    })
  )

/** The sequence of a Project's newest event; 0 when it has none. Found by halving: a dense sequence has no holes. */
export const newestSequence = (projectId: string) =>
  Effect.gen(function* () {
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

/**
 * Waits until one of the groups may have something to do. What a group waits for may end while nobody looks, and whoever
 * ended it may have gone on with the group to the last event. So new events are followed for one that waits too, and it
 * is asked again at its time, or after `Limits.storePollMs` when that is sooner.
 */
const wakened = (projectId: string, routed: ReadonlyArray<Routed>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const now = yield* Time.nowMillis
    const seen = routed.flatMap((each) => {
      const last = each._tag === "CaughtUp" ? each.sequence : each._tag === "Waiting" ? each.newest : null
      return last === null ? [] : [last]
    })
    const dues = routed.flatMap((each) => (each._tag === "Waiting" ? [Time.toMillis(each.dueAt) - now] : []))
    const event = seen.length === 0 ? Effect.never : Stream.runHead(log.follow(projectId, Math.min(...seen)))
    const due = dues.length === 0 ? Effect.never : Effect.sleep(Math.max(0, Math.min(...dues, Limits.storePollMs)))
    yield* Effect.raceFirst(
      Effect.catchTag(event, "EventsExpired", () => Effect.void),
      due
    )
  })

/** Routes the events of one Project to its groups. Ends when none of them is there any more. */
const routeProject = <R>(projectId: string, names: ReadonlyArray<string>, groups: Groups<R>) => {
  const known = names.flatMap((name) => {
    const decide = groups(name)
    return decide === null ? [] : [{ name, decide }]
  })
  const turn = Effect.gen(function* () {
    const routed = yield* Effect.forEach(known, ({ name, decide }) => apply(name, projectId, decide), {
      concurrency: "unbounded"
    })
    if (routed.every((each) => each._tag === "Gone")) return false
    yield* wakened(projectId, routed)
    return true
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.as(
        Effect.zipRight(Effect.logWarning("routing failed", describe(cause)), Effect.sleep(Limits.storePollMs)),
        true
      )
    ),
    Effect.annotateLogs({ project: projectId })
  )
  return Effect.iterate(true, { while: (going) => going, body: () => turn })
}

const groupsByProject = (consumers: ReadonlyArray<Consumer>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const { group, projectId } of consumers) found.set(projectId, [...(found.get(projectId) ?? []), group])
  return found
}

/**
 * Routes for every group that exists, and for those that come and go meanwhile, until it is interrupted. An event of
 * this process is routed at once, one of another process within `Limits.storePollMs`. Several routers may run.
 */
export const run = <R>(groups: Groups<R>) =>
  Effect.gen(function* () {
    const fibers = yield* FiberMap.make<string>()
    let routed: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
    const look = Effect.gen(function* () {
      const { items } = yield* (yield* Records).list("consumer", { limit: "all" })
      const wanted = groupsByProject(items.map((each) => each.record))
      for (const [projectId, names] of wanted)
        if (routed.get(projectId)?.join() !== names.join())
          yield* FiberMap.run(fibers, projectId, routeProject(projectId, names, groups))
      for (const projectId of routed.keys()) if (!wanted.has(projectId)) yield* FiberMap.remove(fibers, projectId)
      routed = wanted
    })
    return yield* look.pipe(
      Effect.catchAll((problem) => Effect.logWarning("consumers not read", describe(problem))),
      Effect.repeat(Schedule.spaced(Limits.storePollMs)),
      Effect.zipRight(Effect.never)
    )
  }).pipe(Effect.scoped)
