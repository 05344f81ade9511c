/**
 * Routes the events of every Project that has consumer groups, as notices come. While nothing happens it asks the store
 * one question each `Limits.routerLookMs`: which groups are behind. That finds what a lost notice did not tell, and
 * what a process left that died.
 */
import { Effect, FiberMap, Queue, Schedule } from "effect"
import { describe } from "../primitives/Words.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { EventLog, type GroupName, type RoutingNotice } from "./EventLog.ts"
import { apply, type Groups, type Routed } from "./EventRouter.ts"

/** A store that cannot be asked is asked again after a pause. */
const insist = <A, E, R>(what: Effect.Effect<A, E, R>) =>
  what.pipe(
    Effect.tapCause((cause) => Effect.logWarning("consumers not read", describe(cause))),
    Effect.retry(Schedule.spaced(Limits.storePollMs))
  )

/** How long until the first of the groups is to be asked again, in milliseconds; null when none has a time. */
const soonest = (routed: ReadonlyArray<Routed>, now: number): number | null => {
  const waits = routed.flatMap((each) =>
    each._tag === "Waiting" && each.dueAt !== null ? [Math.max(0, Time.toMillis(each.dueAt) - now)] : []
  )
  return waits.length === 0 ? null : Math.min(...waits)
}

/** Projects with work: one fiber each while there is some, and none else. */
const makeTurns = Effect.fnUntraced(function* <R>(groups: Groups<R>, known: Map<string, Set<string>>) {
  const fibers = yield* FiberMap.make<string>()
  const timers = yield* FiberMap.make<string>()
  /** The Projects that are being routed, and whether something came meanwhile. */
  const active = new Map<string, { again: boolean }>()

  /** Applies what there is to every group of the Project. Answers when to come again. */
  const once = (projectId: string) =>
    Effect.gen(function* () {
      const names = Array.from(known.get(projectId) ?? [])
      const routed = yield* Effect.forEach(
        names,
        (name) => {
          const decide = groups(name)
          return decide === null
            ? Effect.succeed<Routed>({ _tag: "CaughtUp", sequence: 0 })
            : apply(name, projectId, decide)
        },
        { concurrency: "unbounded" }
      )
      for (const [index, each] of routed.entries())
        if (each._tag === "Gone") known.get(projectId)?.delete(names[index] ?? "")
      if (known.get(projectId)?.size === 0) known.delete(projectId)
      return soonest(routed, yield* Time.nowMillis)
    }).pipe(
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("routing failed", describe(cause)), Limits.storePollMs)),
      Effect.annotateLogs({ project: projectId })
    )

  const wake = (projectId: string): Effect.Effect<void, never, Effect.Services<ReturnType<typeof once>>> =>
    Effect.suspend(() => {
      const running = active.get(projectId)
      if (running !== undefined) {
        running.again = true
        return Effect.void
      }
      const turn = { again: true }
      active.set(projectId, turn)
      const rounds = Effect.gen(function* () {
        let waitMs: number | null = null
        // The last look at what came meanwhile and the end of the turn are one step: nothing falls between.
        while (turn.again || !active.delete(projectId)) {
          turn.again = false
          waitMs = yield* once(projectId)
        }
        return waitMs
      })
      const after = (waitMs: number | null) =>
        waitMs === null
          ? Effect.void
          : FiberMap.run(timers, projectId, Effect.andThen(Effect.sleep(waitMs), wake(projectId)))
      return Effect.asVoid(FiberMap.run(fibers, projectId, Effect.flatMap(rounds, after)))
    })
  return wake
})

const grouped = (names: ReadonlyArray<GroupName>, known: Map<string, Set<string>>): void => {
  for (const { group, projectId } of names) {
    const there = known.get(projectId)
    if (there === undefined) known.set(projectId, new Set([group]))
    else there.add(group)
  }
}

/**
 * Routes for every group that exists, and for those that come and go meanwhile, until it is interrupted. An event is
 * routed at once, of whatever process it is; one whose notice was lost within `Limits.routerLookMs`. Several routers may
 * run.
 */
export const run = Effect.fnUntraced(function* <R>(groups: Groups<R>) {
  const log = yield* EventLog
  const records = yield* Records
  /** The groups of each Project. The first reading fills it. */
  const known = new Map<string, Set<string>>()
  const wake = yield* makeTurns(groups, known)
  const bell = yield* Queue.dropping<null>(1)
  const heard = { events: new Set<string>(), groups: new Set<string>(), missed: false }
  const note = (notice: RoutingNotice) => {
    if (notice._tag === "Missed") heard.missed = true
    else if (notice._tag === "Groups") heard.groups.add(notice.projectId)
    // Most Projects have no group: their events wake nobody.
    else if (known.has(notice.projectId)) heard.events.add(notice.projectId)
    else return
    Queue.offerUnsafe(bell, null)
  }
  yield* log.listen(note)

  const read = (projectId?: string) =>
    Effect.map(
      records.list("consumer", { limit: "all", ...(projectId === undefined ? {} : { projectId }) }),
      ({ items }) => items.map(({ record: { group, projectId: project } }) => ({ group, projectId: project }))
    )
  /** Who is behind, whatever was heard. */
  const look = Effect.gen(function* () {
    const behind = yield* log.behind
    grouped(behind, known)
    for (const projectId of new Set(behind.map((each) => each.projectId))) yield* wake(projectId)
  })
  /** What was heard is forgotten when it is done: a store that is away takes nothing of it. */
  const attend = Effect.gen(function* () {
    for (const projectId of Array.from(heard.groups)) {
      heard.groups.delete(projectId)
      const again = Effect.sync(() => heard.groups.add(projectId))
      const names = yield* Effect.tapError(read(projectId), () => again)
      known.delete(projectId)
      grouped(names, known)
      if (names.length > 0) heard.events.add(projectId)
    }
    for (const projectId of Array.from(heard.events)) {
      heard.events.delete(projectId)
      yield* wake(projectId)
    }
    if (!heard.missed) return
    heard.missed = false
    yield* Effect.tapError(look, () => Effect.sync(() => (heard.missed = true)))
  })
  yield* insist(Effect.map(read(), (names) => grouped(names, known)))
  yield* insist(look)
  let nextLook = (yield* Time.steadyMillis) + Limits.routerLookMs
  return yield* Effect.forever(
    Effect.gen(function* () {
      const waitMs = nextLook - (yield* Time.steadyMillis)
      const rung = yield* Effect.timeoutOption(Queue.take(bell), Math.max(0, waitMs))
      yield* insist(attend)
      if (rung._tag === "Some") return
      yield* insist(look)
      nextLook = (yield* Time.steadyMillis) + Limits.routerLookMs
    })
  )
}, Effect.scoped)
