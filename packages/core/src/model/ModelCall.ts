/** One call of a model: its money is reserved before it is sent, and booked when it ended. */
import { Schema } from "effect"
import { ChangeId, ModelCallId, ProjectId, RunId, Sha256, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { ModelTier } from "./Task.ts"

/** Each status that a call can have. On the wire it is its `state`. */
export const callStatuses = [
  /** It may be on its way: its Change keeps money for it. */
  "reserved",
  /** Its answer is there, and paid for. */
  "settled",
  /** The provider would not answer, and took no money. */
  "refused",
  /** Nobody knows what became of it: its whole reservation counts as spent. */
  "lost"
] as const
/** One of `callStatuses`. */
export const CallStatus = Schema.Literals(callStatuses)
export type CallStatus = typeof CallStatus.Type

/** What a model is asked for: the plan of a Change, the work of a Task, or an opinion of a Candidate. */
export const CallPurpose = Schema.Literals(["plan", "work", "review"])
export type CallPurpose = typeof CallPurpose.Type

/** What a provider did in place of an answer: was away, the first five, or refused. */
export const CallFailure = Schema.Literals([
  "rate",
  "overloaded",
  "server",
  "network",
  "cut",
  "credentials",
  "funds",
  "too_long",
  "request"
])
export type CallFailure = typeof CallFailure.Type

/** A call of a model (decisions, "Agents"). Money is in US dollars. */
export const ModelCall = Schema.Struct({
  /** `mc_<what asked>_<turn>_<try>`. */
  id: ModelCallId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change that pays for it. */
  changeId: ChangeId,
  /** The Task that it works on; absent when it plans or reviews. */
  taskId: Schema.optionalKey(TaskId),
  /** The run that it belongs to; absent when it plans or reviews. */
  runId: Schema.optionalKey(RunId),
  /** What it is for. */
  purpose: CallPurpose,
  /** The tier that was asked. */
  tier: ModelTier,
  /** The model that serves the tier, as its provider calls it. */
  model: Schema.String,
  /** Where it is. */
  status: CallStatus,
  /** What it may cost. */
  reservedUsd: Schema.Finite,
  /** What it cost; 0 while it is on its way. */
  costUsd: Schema.Finite,
  /** Tokens that came in, but for those from a cache. */
  inputTokens: Schema.Finite,
  /** Tokens that were read from the provider's cache. */
  cachedTokens: Schema.Finite,
  /** Tokens of the answer. */
  outputTokens: Schema.Finite,
  /** The provider told no tokens: they were counted by bytes. */
  estimated: Schema.optionalKey(Schema.Literal(true)),
  /** Of the object that holds the answer; absent when there is none. */
  answerDigest: Schema.optionalKey(Sha256),
  /** When its money was reserved. */
  startedAt: Timestamp,
  /** When it ended; null while it is on its way. */
  endedAt: Schema.NullOr(Timestamp),
  /** When it moved last. */
  updatedAt: Timestamp,
  /** What its provider did in place of an answer; absent for one that was answered, and for one whose asker was gone. */
  failure: Schema.optionalKey(CallFailure),
  /** Why it was refused or is lost, in words. */
  reason: Schema.optionalKey(Schema.String)
}).pipe(withWireNames({ status: "state", reservedUsd: "reserved_usd", costUsd: "cost_usd" }))
export interface ModelCall extends Schema.Schema.Type<typeof ModelCall> {}
