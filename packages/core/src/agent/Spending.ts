/**
 * The money of calls: kept for one before it is sent, and booked when it ended. Each is one commit that writes the
 * Change, so that its revision orders them all: what is spent and what is kept stay within the budget, whatever runs at
 * once. Only a call that cost more than was kept for it may exceed it: it is booked whole, and more is
 * kept for each later one (`costFactor`).
 */
import { Effect } from "effect"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { type Actor, system } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"
import type { Lease } from "../model/Command.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import type { CallFailure, ModelCall } from "../model/ModelCall.ts"
import type { TaskRun } from "../model/Task.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { type Asker, callId } from "./Asker.ts"
import { take } from "./CallCap.ts"
import type { TierModel, TokenUsage } from "./Models.ts"
import { allowanceOf, bookable, costFactorAfter, sumOf } from "./Reservation.ts"
import { TurnStopped } from "./TurnFailures.ts"

/** Under which lease it is done; null where the work is no command. */
export type Held = Lease | null

type StoredCall = Commit.Stored<ModelCall>
type StoredChange = Commit.Stored<Change>

/** What a call that ended leaves in its record. */
type Ending = Pick<ModelCall, "costUsd"> &
  Partial<
    Pick<
      ModelCall,
      "inputTokens" | "cachedTokens" | "outputTokens" | "estimated" | "answerDigest" | "reason" | "failure"
    >
  >

const told = ({ changeId, id, model, purpose, tier }: ModelCall, state: ModelCall["status"], costUsd: number) => ({
  "model.called": { changeId, callId: id, purpose, tier, model, state, cost_usd: costUsd }
})

/** Ends a call in a draft, beside its money. */
const ended = (
  draft: Draft.Draft,
  call: StoredCall,
  trigger: "answered" | "unaccounted" | "refusedUnpaid",
  ending: Ending
): void => {
  const fields = { ...ending, endedAt: draft.now }
  if (trigger === "refusedUnpaid") return void Draft.step(draft, "modelCall", call, trigger, fields)
  const state = trigger === "answered" ? "settled" : "lost"
  Draft.step(draft, "modelCall", call, trigger, fields, told(call.record, state, ending.costUsd))
}

/** The Change when calls have ended: what was kept for them is given back, and what they cost is spent. */
const withEnded = (change: Change, ends: ReadonlyArray<readonly [call: ModelCall, costUsd: number]>) => ({
  spentUsd: ends.reduce((sum, [, costUsd]) => sumOf(sum, costUsd), change.spentUsd),
  reservedUsd: ends.reduce((sum, [call]) => sumOf(sum, -call.reservedUsd), change.reservedUsd)
})

/** Counts calls that were paid for to the run that they belong to. */
const countedTo = (draft: Draft.Draft, run: Commit.Stored<TaskRun>, costUsd: number, calls: number): void => {
  const before = Draft.newest(draft, "taskRun", run).record
  const modelCalls = before.modelCalls + calls
  Draft.update(draft, "taskRun", run, { modelCalls, costUsd: sumOf(before.costUsd, costUsd) })
}

const goneReason = "whoever waited for its answer was gone"

/**
 * Counts calls as lost, whole, whose askers are gone: in a draft that ends their runs or their Change. `runs` are those of
 * the calls, as they were read.
 */
export const loseCalls = (
  draft: Draft.Draft,
  change: StoredChange,
  calls: ReadonlyArray<StoredCall>,
  runs: ReadonlyArray<Commit.Stored<TaskRun>>
): void => {
  if (calls.length === 0) return
  const ends = calls.map(({ record }) => [record, record.reservedUsd] as const)
  const money = withEnded(Draft.newest(draft, "change", change).record, ends)
  Draft.update(draft, "change", change, { ...money, updatedAt: draft.now })
  for (const call of calls) {
    const { reservedUsd, runId } = call.record
    ended(draft, call, "unaccounted", { costUsd: reservedUsd, reason: goneReason })
    const run = runs.find(({ record }) => record.id === runId)
    if (run !== undefined) countedTo(draft, run, reservedUsd, 1)
  }
}

/** The calls of a Change that are on their way. */
export const openCallsOf = (changeId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(
      records.list("modelCall", { where: { changeId, status: "reserved" }, limit: "all" }),
      (page) => page.items
    )
  )

/** The calls of one turn, first to last. */
export const triesOf = Effect.fnUntraced(function* (subject: Asker["subject"], turn: number) {
  const tries: Array<StoredCall> = []
  for (;;) {
    const call = yield* find("modelCall", callId(subject, turn, tries.length + 1))
    if (call === null) return tries
    tries.push(call)
  }
})

const runOf = (call: Pick<ModelCall, "runId">) =>
  call.runId === undefined ? Effect.succeed(null) : find("taskRun", call.runId)

/** What becomes of a turn that asks for money. */
export type Reserved =
  | { readonly _tag: "Reserved"; readonly call: ModelCall; readonly nth: number; readonly maxOutput: number }
  /** Others keep the money for now. */
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Stopped"; readonly stopped: TurnStopped }
  /** The turn has its answer already. */
  | { readonly _tag: "Answered" }

const stopped = (by: TurnStopped["by"], reason: string): Reserved => ({
  _tag: "Stopped",
  stopped: new TurnStopped({ by, reason })
})

const newCall = (asker: Asker, id: ModelCall["id"], model: TierModel, reservedUsd: number, now: Time.Timestamp) =>
  ({
    id,
    projectId: asker.change.projectId,
    changeId: asker.change.id,
    ...(asker.run === undefined ? {} : { taskId: asker.run.taskId, runId: asker.run.id }),
    purpose: asker.purpose,
    tier: asker.tier,
    model: model.name,
    status: "reserved",
    reservedUsd,
    costUsd: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    startedAt: now,
    endedAt: null,
    updatedAt: now
  }) satisfies ModelCall

/** What a turn is to be reserved for: its number, and tokens at most. */
export interface Wanted {
  readonly turn: number
  readonly inputTokens: number
  readonly maxOutput: number
}

/** A try that the provider did not take on was counted today: the next of its turn takes its place. */
const isCountedBefore = (tries: ReadonlyArray<StoredCall>, now: Time.Timestamp): boolean => {
  const last = tries.at(-1)?.record
  return last?.status === "refused" && last.startedAt.slice(0, 10) === now.slice(0, 10)
}

/**
 * Keeps the money of the next try of a turn. A try before it whose asker is gone counts as lost in the same commit. The
 * call is counted to the day before that: a kill in between counts one too many, never one too few.
 */
export const reserve = (asker: Asker, model: TierModel, wanted: Wanted, lease: Held) =>
  Effect.suspend(() => {
    let isCounted = false
    const decide = Effect.gen(function* () {
      const change = yield* demand("change", asker.change.id)
      const tries = yield* triesOf(asker.subject, wanted.turn)
      if (tries.some(({ record }) => record.status === "settled")) return { answer: { _tag: "Answered" } as Reserved }
      const left = tries.filter(({ record }) => record.status === "reserved")
      const run = asker.run === undefined ? null : yield* demand("taskRun", asker.run.id)
      const now = yield* Time.now
      const draft = Draft.begin(asker.change.projectId, asker.actor, now)
      loseCalls(draft, change, left, run === null ? [] : [run])
      const money = Draft.newest(draft, "change", change).record
      const commit = () => Draft.end(draft, { name: "Spending.reserve", ...(lease === null ? {} : { lease }) })
      const without = (answer: Reserved) => (draft.writes.length === 0 ? { answer } : { answer, commit: commit() })
      if (Lifecycle.isFinal(ChangeLifecycle, money.status))
        return without(stopped("change", `the Change is ${money.status}`))
      if (run !== null && run.record.endedAt !== null) return without(stopped("change", "the run was ended"))
      const allowance = allowanceOf(money, model.prices, wanted.inputTokens, wanted.maxOutput)
      if (allowance._tag === "Wait") return without({ _tag: "Wait" })
      if (allowance._tag === "Exhausted")
        return without(stopped("budget", `budget_exhausted: the budget of $${money.budgetUsd} has no more for a call`))
      const used = isCounted || isCountedBefore(tries, now) ? null : yield* take(asker.change.projectId)
      if (used !== null) return without(stopped("calls", used))
      isCounted = true
      const { maxOutput, reservedUsd } = allowance
      const nth = tries.length + 1
      const call = newCall(asker, callId(asker.subject, wanted.turn, nth), model, reservedUsd, now)
      Draft.update(draft, "change", change, { reservedUsd: sumOf(money.reservedUsd, reservedUsd), updatedAt: now })
      Draft.insert(draft, "modelCall", call)
      return { answer: { _tag: "Reserved", call, nth, maxOutput } as Reserved, commit: commit() }
    })
    return decideAndCommit(decide)
  }).pipe(Effect.withSpan("Spending.reserve"))

/** Ends one call that is on its way. False when somebody else has ended it: its asker's work was ended, or taken over. */
const ending = (
  call: ModelCall,
  how: {
    readonly name: string
    readonly trigger: "answered" | "unaccounted" | "refusedUnpaid"
    readonly ending: Ending
    readonly actor: Actor
    readonly lease: Held
  }
) =>
  decideAndCommit(
    Effect.gen(function* () {
      const change = yield* demand("change", call.changeId)
      const stored = yield* demand("modelCall", call.id)
      const { answerDigest, status } = stored.record
      if (status !== "reserved")
        // Our own commit, whose answer was lost, is told by the digest.
        return { answer: status === "settled" && answerDigest === how.ending.answerDigest }
      const run = yield* runOf(call)
      const draft = Draft.begin(call.projectId, how.actor, yield* Time.now)
      const money = withEnded(change.record, [[stored.record, how.ending.costUsd]])
      const factor = costFactorAfter(change.record.costFactor, stored.record.reservedUsd, how.ending.costUsd)
      const costs = factor === undefined ? {} : { costFactor: factor }
      Draft.update(draft, "change", change, { ...money, ...costs, updatedAt: draft.now })
      ended(draft, stored, how.trigger, how.ending)
      if (run !== null && how.trigger !== "refusedUnpaid") countedTo(draft, run, how.ending.costUsd, 1)
      const { lease, name } = how
      return { answer: true, commit: Draft.end(draft, { name, ...(lease === null ? {} : { lease }) }) }
    })
  )

/** Books a call that was answered: what it cost is spent. */
export const settle = (
  asker: Asker,
  call: ModelCall,
  paid: { readonly costUsd: number; readonly usage: TokenUsage; readonly answerDigest: ModelCall["answerDigest"] & {} },
  lease: Held
) =>
  ending(call, {
    name: "Spending.settle",
    trigger: "answered",
    actor: asker.actor,
    lease,
    ending: {
      costUsd: bookable(paid.costUsd),
      inputTokens: paid.usage.input + paid.usage.cacheWrite,
      cachedTokens: paid.usage.cacheRead,
      outputTokens: paid.usage.output,
      answerDigest: paid.answerDigest,
      ...(paid.usage.known ? {} : { estimated: true as const })
    }
  })

/** Gives the money of a call back that the provider did not take on. */
export const refuse = (asker: Asker, call: ModelCall, failure: CallFailure, reason: string, lease: Held) =>
  ending(call, {
    name: "Spending.refuse",
    trigger: "refusedUnpaid",
    actor: asker.actor,
    lease,
    ending: { costUsd: 0, failure, reason }
  })

/** Counts a call whose answer was lost as spent, whole. */
export const lose = (asker: Asker, call: ModelCall, failure: CallFailure, reason: string, lease: Held) =>
  ending(call, {
    name: "Spending.lose",
    trigger: "unaccounted",
    actor: asker.actor,
    lease,
    ending: { costUsd: call.reservedUsd, failure, reason }
  })

/**
 * Counts calls as lost that were on their way for longer than any can be: whoever waited for them is gone, and nobody
 * came back. It is done by the clock, so that no money is kept for ever. Answers how many there were.
 */
export const sweepCalls = Effect.gen(function* () {
  const before = Time.fromMillis((yield* Time.nowMillis) - Limits.modelCallMaxMs)
  const open = yield* (yield* Records).list("modelCall", {
    where: { status: "reserved" },
    limit: Limits.modelCallsPerSweep
  })
  const old = open.items.filter(({ record }) => record.startedAt < before)
  for (const { record } of old)
    yield* ending(record, {
      name: "Spending.sweep",
      trigger: "unaccounted",
      actor: system("budget"),
      lease: null,
      ending: { costUsd: record.reservedUsd, reason: goneReason }
    }).pipe(Effect.catchTag("Unknown", () => Effect.succeed(false)))
  return old.length
}).pipe(Effect.withSpan("Spending.sweepCalls"))
