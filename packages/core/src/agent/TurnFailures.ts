/** Why a turn has no answer. What an agent or a planner does not look at goes through it to the work that it is part of. */
import { Schema } from "effect"
import type { LeaseLost, LedgerUnavailable } from "../ledger/Ledger.ts"
import type { ObjectStoreUnavailable } from "../objects/ObjectStore.ts"
import type { Waiting } from "../work/Processes.ts"
import type { ModelRefused, ModelUnavailable } from "./ModelFailures.ts"

/** What stands in the way of every further call. */
export const StoppedBy = Schema.Literals([
  /** The budget of its Change. */
  "budget",
  /** The calls of the day, of the whole installation. */
  "calls",
  /** The model: there is none, its key does not do, or its account has no money. */
  "model",
  /** The end of its Change. */
  "change"
])
export type StoppedBy = typeof StoppedBy.Type

/** No call may be made, until a person changes that or, for the calls of a day, until tomorrow. */
export class TurnStopped extends Schema.TaggedError<TurnStopped>()("TurnStopped", {
  by: StoppedBy,
  /** In words. Where money or calls are used up it begins with `budget_exhausted`. */
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** This turn comes to nothing: the model was asked as often as it may be, or what it answered before is gone. */
export class TurnFailed extends Schema.TaggedError<TurnFailed>()("TurnFailed", {
  reason: Schema.String,
  /** Another version of this program kept what cannot be read now: the work is begun anew, and no try is used up. */
  diverged: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message() {
    return `The model gave no answer: ${this.reason}`
  }
}

/** Nothing is lost: the work waits, or another worker does it, and comes back to this turn. */
export type TurnAway = ModelUnavailable | Waiting | LedgerUnavailable | LeaseLost | ObjectStoreUnavailable

/**
 * All of them. Only a `ModelRefused` whose kind is `too_long` or `request` is about what was asked: it is for who asked,
 * and cost nothing.
 */
export type TurnFailure = TurnStopped | TurnFailed | ModelRefused | TurnAway
