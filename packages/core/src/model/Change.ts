/** A Change: a person's goal for a Project. */
import { Effect, Schema } from "effect"
import { CandidateId, ChangeId, LaneEntryId, ProjectId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { Actor } from "./Actor.ts"

/** Each status that a Change can have (specification, "Change status"). */
export const changeStatuses = [
  /** It was opened; nobody works on it yet. */
  "created",
  /** A planner makes its Work Graph. */
  "compiling",
  /** Its Tasks are worked. */
  "running",
  /** Its budget is spent: Tasks wait until it is raised. */
  "budget_blocked",
  /** No Task is open; its Candidates are composed and checked. */
  "verifying",
  /** A verified Candidate of it owes an approval. */
  "awaiting_approval",
  /** Somebody asked for the swap, and it is not decided yet. */
  "promoting",
  /** It is canonical, and its generation is being taken live. */
  "releasing",
  /** It is canonical, and live where there is something to release to. */
  "completed",
  /** It could not be planned, or its release failed. */
  "failed",
  /** A person ended it, or its rollback ended with its Candidate. */
  "cancelled"
] as const
/** One of `changeStatuses`. */
export const ChangeStatus = Schema.Literals(changeStatuses)
export type ChangeStatus = typeof ChangeStatus.Type

/** How much changed paths may break. */
export const riskTiers = ["low", "medium", "high", "unknown"] as const
/** How much the changed paths may break, by `riskOf`; `unknown` where that could not be told. */
export const RiskTier = Schema.Literals(riskTiers)
export type RiskTier = typeof RiskTier.Type

/** What a Change is for: a goal, or an older tree that is to be canonical again. */
export const changeKinds = ["goal", "rollback"] as const
/** One of `changeKinds`. */
export type ChangeKind = (typeof changeKinds)[number]

/** What the wire calls the money of a Change. */
export const moneyNames = { budgetUsd: "budget_usd", spentUsd: "spent_usd", reservedUsd: "reserved_usd" } as const

/** Money is in US dollars. `rollbackTarget` is the generation that a Change of kind `rollback` goes back to. */
export const Change = Schema.Struct({
  /** `chg_` and a UUID made of the Project and the `clientRequestId`. */
  id: ChangeId,
  /** The Project that it is to change. */
  projectId: ProjectId,
  /** Chosen by who opened it: the same one opens nothing twice. */
  clientRequestId: Schema.String,
  /** What the person wants, in their words. */
  goal: Schema.String,
  /** Where it is. */
  status: ChangeStatus,
  /** The highest risk among its Candidates so far. */
  riskTier: RiskTier,
  /** What its agents may spend, in US dollars. */
  budgetUsd: Schema.Finite,
  /** What its agents have spent, in US dollars. */
  spentUsd: Schema.Finite,
  /** What calls of models that are on their way may cost, in US dollars. With what is spent it stays within the budget. */
  reservedUsd: Schema.Finite.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(0))),
  /**
   * How many times what was reckoned at most a call of it has cost, at worst; missing while none cost more. What is
   * reserved for its next calls is as much more.
   */
  costFactor: Schema.optionalKey(Schema.Finite),
  /** A `rollback` makes an older tree canonical again. */
  kind: Schema.Literals(changeKinds),
  /** Who opened it. */
  createdBy: Actor,
  /** When it was opened. */
  createdAt: Timestamp,
  /** When it moved last, or was written for what its Candidates did. */
  updatedAt: Timestamp,
  /** The status to return to when a swap is refused; set while promoting. */
  statusBeforePromoting: Schema.NullOr(ChangeStatus),
  /** The Candidate that is being promoted; only its end takes the Change back. Set while promoting. */
  promotingCandidateId: Schema.optionalKey(Schema.NullOr(CandidateId)),
  /** Its open entry of the lane; null once that has ended. Not there in one that never was in a lane. */
  laneEntryId: Schema.optionalKey(Schema.NullOr(LaneEntryId)),
  /** Of a rollback: the generation whose tree it brings back. */
  rollbackTarget: Schema.optionalKey(Schema.Finite),
  /** Of a rollback: why, in the words of who asked; 1 to `Limits.rollbackReasonLength` characters. */
  rollbackReason: Schema.optionalKey(Schema.String),
  /** It was opened to be planned: a person's ChangeSet does not start it. */
  planned: Schema.optionalKey(Schema.Boolean),
  /** In words: why it failed or was cancelled, or what it stands still for. */
  reason: Schema.NullOr(Schema.String)
}).pipe(withWireNames(moneyNames))
export interface Change extends Schema.Schema.Type<typeof Change> {}

/** A finite number, 0 < budget ≤ 100, with at most 2 decimals (decisions, "API"). */
export const isBudget = (value: number): boolean =>
  Number.isFinite(value) &&
  value > 0 &&
  value <= Limits.budgetMaxUsd &&
  Math.abs(value * 100 - Math.round(value * 100)) < 1e-9
