/**
 * The tick: each minute every process with workers looks at the timetable, and exactly one of them fires what is due.
 * Not while the installation is paused. Daily work is a command of the directory, sent by the very commit that moves the
 * schedule; what recurs within minutes is done by the winner, and its death costs one turn.
 */
import { Effect } from "effect"
import { commandId, type NewCommand } from "../event/Command.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Deciding.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { cleanup } from "../project/Archiving.ts"
import { scanStuck } from "../release/Recovery.ts"
import { dueSlot, type ScheduleName, scheduleNames, timetable, untilNextMinute } from "./Schedule.ts"

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
    case "project.cleanup":
      return uncleanedProjects(cursor)
    case "release.recover":
      return Effect.succeed(nothing)
  }
}

/** The next archived Projects with leftovers. They take turns, so that some that cannot be cleaned do not keep the others. */
const uncleanedProjects = (cursor: string | null) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("project", {
      where: { uncleaned: "yes" },
      limit: Limits.cleanupsPerTick,
      ...(cursor === null ? {} : { cursor })
    })
    const uncleaned = page.items.map((each) => each.record.id)
    return { ...nothing, uncleaned, cursor: page.nextCursor } satisfies Plan
  })

/** Moves a schedule to the slot that is due. Answers what its firing is to do, or `null` when another did it, or none is due. */
const claim = (name: ScheduleName) =>
  decideAndCommit(
    Effect.gen(function* () {
      const schedule = yield* find("schedule", name)
      const firedAtMs = schedule === null ? null : Time.toMillis(schedule.record.firedAt)
      const slot = dueSlot(timetable[name], firedAtMs, yield* Time.nowMillis)
      if (slot === null) return { answer: null }
      const firedAt = Time.fromMillis(slot)
      const plan = yield* planOf(name, schedule?.record.cursor ?? null, firedAt)
      const moved = { name, firedAt, cursor: plan.cursor }
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
const fire = (name: ScheduleName) =>
  Effect.gen(function* () {
    const plan = yield* claim(name)
    if (plan === null) return false
    const ledger = yield* Ledger
    for (const projectId of plan.uncleaned)
      yield* ledger.commit({ name: "Schedules.cleanup", projectId, commands: [cleanup(projectId)] })
    if (name === "release.recover") yield* scanStuck
    return true
  }).pipe(Effect.withSpan("Schedules.fire", { attributes: { schedule: name } }))

/** Fires all that is due now. Answers the names of what this very call fired. Nothing is due while paused. */
export const tick = Effect.gen(function* () {
  if ((yield* Settings).paused) return []
  const fired: Array<ScheduleName> = []
  for (const name of scheduleNames) {
    const did = yield* fire(name).pipe(
      Effect.catchAll((problem) => Effect.as(Effect.logWarning(`schedule ${name} not fired`, problem), false))
    )
    if (did) fired.push(name)
  }
  return fired
})

/** Ticks at once, then at the beginning of each minute, until it is interrupted. Part of a process with workers. */
export const run = tick.pipe(
  Effect.zipRight(Effect.flatMap(Time.nowMillis, (now) => Effect.sleep(untilNextMinute(now)))),
  Effect.forever
)
