/**
 * The lives as the specification tells them, written down a second time by hand (status, trigger, status), and as this
 * project decided where it says nothing. A life that lacks a row, has one more, or leads elsewhere must be noticed.
 */
import { describe, expect, it } from "vitest"
import { PointerLifecycle } from "@pawl/core/model/PointerLifecycle"
import { CandidateLifecycle } from "@pawl/core/model/CandidateLifecycle"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import { ClaimLifecycle } from "@pawl/core/model/ClaimLifecycle"
import { LaneEntryLifecycle } from "@pawl/core/model/LaneEntryLifecycle"
import type { Lifecycle } from "@pawl/core/model/Lifecycle"
import { allows, next } from "@pawl/core/model/Lifecycle"
import { ModelCallLifecycle } from "@pawl/core/model/ModelCallLifecycle"
import { ReleaseLifecycle } from "@pawl/core/model/ReleaseLifecycle"
import { TaskLifecycle } from "@pawl/core/model/TaskLifecycle"

type Life = Lifecycle<string, string>

interface Told {
  readonly begins: string
  readonly ends: string
  /** A row per line: statuses, trigger, status. */
  readonly rows: string
}

const told: ReadonlyArray<readonly [Life, Told]> = [
  [
    ChangeLifecycle,
    {
      begins: "created",
      ends: "cancelled completed failed",
      rows: `
        created planningStarted compiling
        created personWorked running
        compiling workGraphStored running
        compiling plannerFailed failed
        running lastTaskCompleted verifying
        running budgetStopped budget_blocked
        budget_blocked budgetRaised running
        verifying approvalNeeded awaiting_approval
        awaiting_approval noVerifiedCandidate verifying
        verifying,awaiting_approval,running,budget_blocked promotionRequested promoting
        promoting swapRefused verifying
        promoting swapRefused awaiting_approval
        promoting swapRefused running
        promoting swapRefused budget_blocked
        promoting swapWonWithRelease releasing
        promoting swapWonWithoutRelease completed
        releasing released completed
        releasing releaseFailed failed
        created,compiling,running,verifying,awaiting_approval,budget_blocked cancel cancelled`
    }
  ],
  [
    TaskLifecycle,
    {
      begins: "cancelled completed pending ready",
      ends: "cancelled completed failed",
      rows: `
        pending dependenciesCompleted ready
        pending dependencyFailed blocked
        ready admitted assigned
        ready deferred ready
        ready,assigned wakeDeadLettered blocked
        assigned started running
        running retried running
        running,blocked published completed
        running handedBack ready
        running failedTerminally failed
        running budgetStopped blocked
        pending,ready,assigned,running,blocked stoppedByPerson blocked
        pending,ready,assigned,running,blocked handedOver blocked
        blocked retriedByOperator ready
        blocked givenBack pending
        blocked budgetRaised ready
        blocked dependencyRevived pending
        pending,ready,assigned,running,blocked changeCancelled cancelled`
    }
  ],
  [
    ModelCallLifecycle,
    {
      begins: "reserved",
      ends: "lost refused settled",
      rows: `
        reserved answered settled
        reserved refusedUnpaid refused
        reserved unaccounted lost`
    }
  ],
  [
    ClaimLifecycle,
    {
      begins: "held",
      ends: "",
      rows: `
        held workEnded released
        held leaseEnded expired
        released,expired heldAgain held`
    }
  ],
  [
    CandidateLifecycle,
    {
      begins: "composing",
      ends: "promoted rejected stale",
      rows: `
        composing planRecorded verifying
        composing notComposable rejected
        composing,verifying,verified canonicalAdvanced stale
        composing,verifying,verified predictionRefuted stale
        verifying checksPassed verified
        verifying checksFailed rejected
        verified policyChanged verifying
        verified approverRejected rejected
        verified swapWon promoted
        composing,verifying,verified changeCancelled rejected
        stale recompositionsExhausted blocked`
    }
  ],
  [
    LaneEntryLifecycle,
    {
      begins: "waiting",
      ends: "landed left rejected",
      rows: `
        waiting composed running
        running checksPassed ready
        running checksFailed doubtful
        running,ready,doubtful predictionRefuted waiting
        running,ready decisionOwed aside
        aside decided waiting
        ready swapWon landed
        doubtful standsFirst rejected
        waiting notMergeable rejected
        waiting,running,ready,doubtful,aside withdrawn left
        waiting,running,ready,doubtful,aside changeCancelled left
        waiting,running,ready,doubtful,aside archived left
        waiting,running,ready,doubtful,aside laneOff left
        waiting,running,ready,doubtful,aside newWork left`
    }
  ],
  [
    ReleaseLifecycle,
    {
      begins: "failed queued",
      ends: "deployed failed smoke_failed superseded",
      rows: `
        queued started building
        queued,building newerPromoted superseded
        building buildFailed failed
        queued,building stuck failed
        building probesPassed deployed
        building probesFailed smoke_failed
        deployed failureInjected smoke_failed`
    }
  ],
  [
    PointerLifecycle,
    {
      begins: "building live",
      ends: "",
      rows: `
        building built live
        building buildFailed build_failed
        building capReached limit_reached
        live built live
        live buildFailed live
        live withdrawn build_failed
        build_failed,limit_reached buildStarted building
        live,building,build_failed,limit_reached remove removed
        removed deploy building`
    }
  ]
]

const rowsOf = ({ rows }: Told): ReadonlySet<string> =>
  new Set(
    rows
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [from, trigger, to] = line.trim().split(" ")
        return from!.split(",").map((each) => `${each} ${trigger} ${to}`)
      })
  )

/** What of a life is not as it is told; null when all is. Asked of the lifecycle as use cases ask it. */
const unlike = (life: Life, promised: Told): string | null => {
  if (life.initial.toSorted().join(" ") !== promised.begins) return `begins as ${life.initial.join(", ")}`
  if (life.final.toSorted().join(" ") !== promised.ends) return `ends as ${life.final.join(", ")}`
  const rows = rowsOf(promised)
  const triggers = new Set([...life.rows.map((row) => row.trigger), ...Array.from(rows, (row) => row.split(" ")[1]!)])
  for (const from of life.states)
    for (const trigger of triggers) {
      const leads = life.states.filter((to) => rows.has(`${from} ${trigger} ${to}`))
      if (allows(life, from, trigger) !== leads.length > 0) return `${trigger} in ${from}`
      for (const to of life.states)
        if ((next(life, from, trigger, to)._tag === "Success") !== leads.includes(to)) return `${from} ${trigger} ${to}`
    }
  return null
}

/** Every life that differs from this one in one place. */
const mutantsOf = (life: Life): ReadonlyArray<readonly [bug: string, life: Life]> => {
  const named = (row: Life["rows"][number]) => `${row.from} ${row.trigger} ${row.to}`
  const removed = life.rows.map(
    (row) => [`without ${named(row)}`, { ...life, rows: life.rows.filter((each) => each !== row) }] as const
  )
  const there = new Set(life.rows.map(named))
  const redirected = life.rows.flatMap((row) =>
    life.states
      .map((to) => ({ ...row, to }))
      .filter((each) => !there.has(named(each)))
      .map(
        (each) =>
          [
            `${named(row)} to ${each.to}`,
            { ...life, rows: life.rows.map((old) => (old === row ? each : old)) }
          ] as const
      )
  )
  const moved = life.rows.flatMap((row) =>
    life.states
      .map((from) => ({ ...row, from }))
      .filter((each) => !there.has(named(each)))
      .map((each) => [`also ${named(each)}`, { ...life, rows: [...life.rows, each] }] as const)
  )
  const begun = life.states.map((state) => {
    const initial = life.initial.includes(state)
      ? life.initial.filter((each) => each !== state)
      : [...life.initial, state]
    return [`beginnings with or without ${state}`, { ...life, initial }] as const
  })
  const ended = life.states.map((state) => {
    const final = life.final.includes(state) ? life.final.filter((each) => each !== state) : [...life.final, state]
    return [`ends with or without ${state}`, { ...life, final }] as const
  })
  return [...removed, ...redirected, ...moved, ...begun, ...ended]
}

describe.each(told.map(([life, promised]) => [life.name, life, promised] as const))(
  "The life of a %s",
  (_name, life, promised) => {
    it("is as it is told: every row is there, and what is absent is refused", () => {
      expect(unlike(life, promised)).toBe(null)
    })

    it("is noticed when a row is missing, is one too many, or leads elsewhere", () => {
      const mutants = mutantsOf(life)
      const alive = mutants.filter(([, mutant]) => unlike(mutant, promised) === null).map(([bug]) => bug)
      console.log(`${life.name}: ${mutants.length} mutants, ${mutants.length - alive.length} caught`)
      expect(mutants.length).toBeGreaterThan(life.rows.length)
      expect(alive).toEqual([])
    })
  }
)
