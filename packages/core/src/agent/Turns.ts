/**
 * Turns with a model, so that each is paid once: money is reserved in one commit, the model is asked, and a second commit
 * books what it cost beside the digest of its answer. A turn that has ended is never asked again, whoever comes back to
 * it: its answer is read. One whose asker is gone counts as lost, whole, and is asked anew.
 */
import { Context, Effect, Result, Schedule, type Schema } from "effect"
import { DailyCounter } from "../bundle/DailyCounter.ts"
import { Ledger } from "../ledger/Ledger.ts"
import type { Unknown } from "../ledger/Refusals.ts"
import { Records } from "../ledger/Records.ts"
import type { ModelCall } from "../model/ModelCall.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import { isOutage } from "../work/Outages.ts"
import { Waiting } from "../work/Processes.ts"
import type { Asker } from "./Asker.ts"
import * as Kept from "./Kept.ts"
import { costOf } from "./ModelCost.ts"
import type { ModelRefused, ModelUnavailable } from "./ModelFailures.ts"
import { type Answer, type Ask, Models, type ModelsShape, type TierModel } from "./Models.ts"
import { inputAtMost, inputTokens, type Said, usageOf } from "./Reservation.ts"
import * as Spending from "./Spending.ts"
import { type TurnAway, TurnFailed, type TurnFailure, TurnStopped } from "./TurnFailures.ts"
import * as TurnRecord from "./TurnRecord.ts"

/** What a turn asks. Which model, and under which name, is said by who pays for it. */
export type TurnAsk = Omit<Ask, "callId" | "tier">

/** The turns of one run, one plan or one review. Each process that comes back to it has the same. */
export interface Turns {
  /**
   * The answer of the `n`th turn, from 1 on: of the model, or the one that it gave before. Turns are asked in their
   * order, and on coming back all from the first. `maxOutput` may be made smaller, when the budget has no more.
   */
  readonly turn: (n: number, ask: TurnAsk) => Effect.Effect<Answer, TurnFailure>
  /**
   * What some work came to, done once: whoever comes back to this run gets what was kept under this name, which is
   * `[a-z0-9-]{1,80}`. For what must be the same when the talk is built again: what a command printed, what was found.
   */
  readonly remember: <A, I, E, R>(
    name: string,
    schema: Schema.Codec<A, I>,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TurnFailed | TurnAway, R>
  /** Whether the `n`th turn was answered before. What its ask said is said again, word for word: nothing may be added. */
  readonly isAnswered: (n: number) => Effect.Effect<boolean, TurnAway>
}

/** What keeps turns. */
export type TurnServices = Ledger | Records | ObjectStore | DailyCounter

/** The turns of who asks. `lease` is the one that the work is done under; null where it is no command. */
export const of = (asker: Asker, lease: Spending.Held): Effect.Effect<Turns, never, TurnServices> =>
  Effect.gen(function* () {
    // Taken here, so that an agent with a context of its own is paid for as any other.
    const all = yield* Effect.context<TurnServices>()
    const stores = Context.pick(
      Ledger,
      Records,
      ObjectStore,
      DailyCounter
    )(all).pipe(Context.add(Settings, yield* Settings))
    const talk: Talk = { asker, lease, models: yield* Models, said: null }
    const remember = <A, I, E, R>(name: string, schema: Schema.Codec<A, I>, work: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.provide(Kept.find(asker, name, schema), stores), (kept) =>
        kept === null
          ? Effect.flatMap(work, (made) => Effect.provide(Kept.keep(asker, name, schema, made), stores))
          : Effect.succeed(kept.value)
      )
    const asking: Turns["turn"] = (n, ask) =>
      Effect.provide(turn(talk, n, ask), stores).pipe(
        Effect.withSpan("Turns.turn", { attributes: { purpose: asker.purpose, turn: n } })
      )
    return { turn: asking, remember, isAnswered: (n) => Effect.provide(isAnswered(asker, n), stores) }
  })

/** One who asks, with what was said last. */
interface Talk {
  readonly asker: Asker
  readonly models: ModelsShape
  readonly lease: Spending.Held
  said: (Said & { readonly turn: number }) | null
}

const turn = (talk: Talk, n: number, ask: TurnAsk): Effect.Effect<Answer, TurnFailure, TurnServices> =>
  Effect.gen(function* () {
    const { asker, lease } = talk
    const tries = yield* Spending.triesOf(asker.subject, n)
    const before = (yield* answerIn(asker, asker.subject, n, tries)) ?? (yield* earlierAnswer(asker, n))
    if (before !== null) return said(talk, n, ask, before)
    const model = talk.models.of(asker.tier)
    if (model === null) return yield* new TurnStopped({ by: "model", reason: "no model is set up" })
    const failed = failuresIn(tries)
    if (failed.length > Limits.modelRepeats)
      return yield* new TurnFailed({ reason: `it was asked ${failed.length} times; ${failed.at(-1)?.reason ?? ""}` })
    const inputTokens = inputAtMost(ask, talk.said?.turn === n - 1 ? talk.said : null)
    const reserved = yield* Spending.reserve(asker, model, { turn: n, inputTokens, maxOutput: ask.maxOutput }, lease)
    switch (reserved._tag) {
      case "Reserved":
        return said(talk, n, ask, yield* asked(talk, { n, ask, model, failed: failed.length }, reserved))
      case "Wait":
        return yield* Effect.fail(new Waiting("other calls keep what is left of the budget", Limits.modelBudgetWaitMs))
      case "Stopped":
        return yield* reserved.stopped
      case "Answered":
        return yield* turn(talk, n, ask)
    }
  }).pipe(Effect.catchTag("Unknown", isGone))

/** The Change, the run or the call is not there any more: its Project was cleaned away. */
const isGone = ({ kind }: Unknown) => new TurnStopped({ by: "change", reason: `its ${kind} is gone` })

const said = (talk: Talk, n: number, ask: TurnAsk, answer: Answer): Answer => {
  const tokens = inputTokens(answer.usage)
  talk.said = tokens === null ? null : { ask, tokens, turn: n }
  return answer
}

type Tries = ReadonlyArray<{ readonly record: ModelCall }>

/** What a turn was answered in one run, plan or review; null while it was not. */
const answerIn = Effect.fnUntraced(function* ({ change }: Asker, subject: Asker["subject"], n: number, tries: Tries) {
  const at = tries.findIndex(({ record }) => record.status === "settled")
  if (at < 0) return null
  const key = TurnRecord.turnKey(change.projectId, subject, n, at + 1)
  return (yield* TurnRecord.read(key, tries[at]?.record.answerDigest)).answer
})

/** What a turn was answered in a run that this one goes on from. */
const earlierAnswer = Effect.fnUntraced(function* (asker: Asker, n: number) {
  for (const subject of asker.earlier) {
    const answer = yield* answerIn(asker, subject, n, yield* Spending.triesOf(subject, n))
    if (answer !== null) return answer
  }
  return null
})

const isAnswered = Effect.fnUntraced(function* ({ earlier, subject }: Asker, n: number) {
  for (const each of [subject, ...earlier]) {
    const tries = yield* Spending.triesOf(each, n)
    if (tries.some(({ record }) => record.status === "settled")) return true
  }
  return false
})

/** Calls of a turn that were lost because the provider failed. */
const failuresIn = (tries: Tries): ReadonlyArray<ModelCall> =>
  tries.flatMap(({ record }) => (record.status === "lost" && record.failure !== undefined ? [record] : []))

/** What is asked in one turn, of whom, and how often that has failed. */
interface Question {
  readonly n: number
  readonly ask: TurnAsk
  readonly model: TierModel
  readonly failed: number
}

type Reserved = Extract<Spending.Reserved, { readonly _tag: "Reserved" }>

/** Asks the model, and books what it cost. */
const asked = Effect.fnUntraced(function* (talk: Talk, question: Question, { call, maxOutput, nth }: Reserved) {
  const { asker, lease } = talk
  const { ask, model, n } = question
  const result = yield* Effect.result(talk.models.ask({ ...ask, maxOutput, callId: call.id, tier: asker.tier }))
  if (Result.isFailure(result)) return yield* unanswered(talk, call, question.failed + 1, result.failure)
  const answer = result.success
  const usage = usageOf(ask, answer)
  const after = talk.said?.turn === n - 1 ? sharedParts(ask, talk.said.ask) : 0
  const record = TurnRecord.recordOf(n, ask, after, answer)
  const key = TurnRecord.turnKey(asker.change.projectId, asker.subject, n, nth)
  const booked = Effect.flatMap(TurnRecord.keep(key, record), (answerDigest) =>
    Spending.settle(asker, call, { costUsd: costOf(model.prices, usage), usage, answerDigest }, lease)
  )
  return (yield* insisted(booked)) ? answer : yield* wasEnded
})

const wasEnded = Effect.suspend(() =>
  Effect.fail(new TurnStopped({ by: "change", reason: "the work was ended while the model was asked" }))
)

/** How many parts of a talk stand at its beginning as they did before: all of them, or none where any is another. */
const sharedParts = ({ parts }: TurnAsk, before: TurnAsk): number =>
  before.parts.every((part, at) => part === parts[at]) ? before.parts.length : 0

/**
 * What was paid for is not given up because a store is away for a moment. At first it is tried again at once: many who
 * write the same Change at the same moment look like that too.
 */
const insisted = <A, E, R>(booking: Effect.Effect<A, E, R>) =>
  Effect.retry(booking, { while: isOutage, schedule: again, times: 2 * Limits.modelBookTries })

const again = Schedule.concat(Schedule.recurs(Limits.modelBookTries), Schedule.spaced(Limits.commandBackoffMs))

/** A call without an answer: its money is given back, or counts as spent. It is the `nth` of its turn. */
const unanswered = Effect.fnUntraced(function* (
  { asker, lease }: Talk,
  call: ModelCall,
  nth: number,
  failure: ModelUnavailable | ModelRefused
) {
  const { kind, reason } = failure
  if (failure._tag === "ModelUnavailable" && failure.charged === "unknown") {
    yield* insisted(Spending.lose(asker, call, kind, reason, lease))
    const delayMs = pauseMs(nth, failure.retryAfterMs)
    return yield* Effect.fail(new Waiting(`the model gave no answer: ${reason}`, delayMs))
  }
  yield* insisted(Spending.refuse(asker, call, kind, reason, lease))
  const isSettingWrong = failure._tag === "ModelRefused" && isWrongAddress(failure.status)
  if (kind !== "credentials" && kind !== "funds" && !isSettingWrong) return yield* Effect.fail(failure)
  yield* Effect.logError("the provider of models refuses every call").pipe(Effect.annotateLogs({ kind, reason }))
  const words = isSettingWrong
    ? "there is no such model, or nobody to ask it at this URL"
    : kind === "funds"
      ? "the account of the models' provider has no money"
      : "the models' key does not do"
  return yield* new TurnStopped({ by: "model", reason: `${words}: ${reason}` })
})

/** An answer that a wrong URL or a wrong name of a model gets: who set them can mend them, and no agent can. */
const isWrongAddress = (status: number | null): boolean =>
  status !== null && (status === 404 || status === 405 || status === 410 || (status >= 300 && status < 400))

/** The pause after the `n`th call of a turn that was lost: a provider that is away for long is asked seldom. */
const pauseMs = (n: number, retryAfterMs: number | null): number =>
  Math.max(
    Limits.modelAgainMs * Limits.modelAgainFactor ** Math.min(Math.max(0, n - 1), Limits.modelRepeats - 1),
    Math.min(retryAfterMs ?? 0, Limits.modelRetryAfterMaxMs)
  )
