/**
 * The tick: each minute every process with workers looks at the timetable, and exactly one of them fires what is due.
 * Not while the installation is paused. Daily work is a command of the directory, sent by the very commit that moves the
 * schedule; what recurs within minutes is done by the winner, and its death costs one turn.
 */
import { Effect } from "effect"
import { Models } from "../agent/Models.ts"
import { sweepCalls } from "../agent/Spending.ts"
import { expireClaims } from "../claim/Claims.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { projectCleanup } from "../project/Archival.ts"
import { isPackSweepDue } from "./PackSweep.ts"
import { scanStuck } from "../release/Recovery.ts"
import {
  dueSlot,
  lastSlot,
  type Schedule,
  type ScheduleName,
  scheduleNames,
  timetable,
  untilNextMinute,
  workedOn
} from "../model/Schedule.ts"

/** What a firing is to do. */
interface Plan {
  readonly commands: ReadonlyArray<NewCommand>
  /** Projects to send `project.cleanup` to. */
  readonly uncleaned: ReadonlyArray<string>
  readonly cursor: string | null
}

const nothing: Plan = { commands: [], uncleaned: [], cursor: null }

const planOf = (name: ScheduleName, cursor: string | null, slot: Time.Timestamp) => {
  switch (name) {
    case "forks.sweep":
    case "retention.sweep":
    case "project.audit": {
      const kind = name === "project.audit" ? "project.audits" : name
      const command: NewCommand = { kind, id: commandId(kind, slot.slice(0, 10)), payload: {} }
      return Effect.succeed<Plan>({ ...nothing, commands: [command] })
    }
    case "packs.sweep":
      return Effect.map(isPackSweepDue, (isDue): Plan => {
        const command: NewCommand = { kind: name, id: commandId(name, "all"), payload: {} }
        return { ...nothing, commands: isDue ? [command] : [] }
      })
    case "candidate.reviews":
      // Without a model there is nobody to ask.
      return Effect.map(Models, ({ available }): Plan => {
        const command: NewCommand = { kind: name, id: commandId(name, "all"), payload: {} }
        return { ...nothing, commands: available ? [command] : [] }
      })
    case "project.cleanup":
      return uncleanedProjects(cursor)
    case "claim.expire":
    case "release.recover":
    case "calls.sweep":
      return Effect.succeed(nothing)
  }
}

/** The next archived Projects with leftovers. They take turns, so that some that cannot be cleaned do not keep the others. */
const uncleanedProjects = Effect.fnUntraced(function* (cursor: string | null) {
  const page = yield* (yield* Records).list("project", {
    where: { uncleaned: "yes" },
    limit: Limits.cleanupsPerTick,
    ...(cursor === null ? {} : { cursor })
  })
  const uncleaned = page.items.map((each) => each.record.id)
  return { ...nothing, uncleaned, cursor: page.nextCursor } satisfies Plan
})

/** What a firing of the scan for stuck releases adds to the time in which a worker could work. */
const addedWorkingTime = (name: ScheduleName, schedule: Schedule | null, upSinceMs: number) =>
  Effect.map(Time.nowMillis, (nowMs): Pick<Schedule, "worked"> => {
    if (name !== "release.recover") return {}
    const { everyMs } = timetable[name]
    const enoughMs = Limits.releaseStuckAfterMs
    return { worked: workedOn(schedule?.worked ?? [], { enoughMs, everyMs, nowMs, upSinceMs }) }
  })

const noted = (name: ScheduleName, nowMs: number): Commit.Commit => ({
  name: "Schedules.begin",
  projectId: null,
  writes: [
    Commit.insert("schedule", { name, firedAt: Time.fromMillis(lastSlot(timetable[name], nowMs)), cursor: null })
  ]
})

/** Moves a schedule to the slot that is due. Answers what its firing is to do, or `null` when another did it, or none is due. */
const claim = (name: ScheduleName, upSinceMs: number) =>
  decideAndCommit(
    Effect.gen(function* () {
      const schedule = yield* find("schedule", name)
      const firedAtMs = schedule === null ? null : Time.toMillis(schedule.record.firedAt)
      const slot = dueSlot(timetable[name], firedAtMs, yield* Time.nowMillis)
      // One that never fired is noted, so that what it misses from now on is known.
      if (slot === null && schedule === null) return { answer: null, commit: noted(name, yield* Time.nowMillis) }
      if (slot === null) return { answer: null }
      const firedAt = Time.fromMillis(slot)
      const plan = yield* planOf(name, schedule?.record.cursor ?? null, firedAt)
      const worked = yield* addedWorkingTime(name, schedule?.record ?? null, upSinceMs)
      const moved = { name, firedAt, cursor: plan.cursor, ...worked }
      return {
        answer: plan,
        commit: {
          name: "Schedules.fire",
          projectId: null,
          writes: [schedule === null ? Commit.insert("schedule", moved) : Commit.update("schedule", schedule, moved)],
          commands: plan.commands
        }
      }
    })
  )

/** Fires one schedule when it is due, and answers whether this very call did. */
const fire = (name: ScheduleName, upSinceMs: number) =>
  Effect.gen(function* () {
    const plan = yield* claim(name, upSinceMs)
    if (plan === null) return false
    const ledger = yield* Ledger
    for (const projectId of plan.uncleaned)
      yield* ledger.commit({ name: "Schedules.cleanup", projectId, commands: [projectCleanup(projectId)] })
    if (name === "release.recover") yield* scanStuck
    if (name === "calls.sweep") yield* sweepCalls
    if (name === "claim.expire") yield* expireClaims
    return true
  }).pipe(Effect.withSpan("Schedules.fire", { attributes: { schedule: name } }))

/**
 * Fires all that is due now, for a process that could work from `upSinceMs` on. Answers the names of what this very call
 * fired. Nothing is due while paused. A schedule that fails, or has a defect, keeps none of the others.
 */
const tickOf = Effect.fnUntraced(function* (upSinceMs: number) {
  if ((yield* Settings).paused) return []
  const fired: Array<ScheduleName> = []
  for (const name of scheduleNames) {
    const did = yield* fire(name, upSinceMs).pipe(
      Effect.sandbox,
      Effect.catch((cause) => Effect.as(Effect.logWarning(`schedule ${name} not fired`, cause), false))
    )
    if (did) fired.push(name)
  }
  return fired
})

/** Fires all that is due now, for a process that was always up, and answers the names of what this very call fired. */
export const tick = tickOf(0)

/** Ticks at once, then at the beginning of each minute, until it is interrupted. Part of a process with workers. */
export const run = Effect.flatMap(Time.nowMillis, (upSinceMs) =>
  tickOf(upSinceMs).pipe(
    Effect.andThen(Effect.flatMap(Time.nowMillis, (now) => Effect.sleep(untilNextMinute(now)))),
    Effect.forever
  )
)
