/** A Change: a person's goal for a Project. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ProjectId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

export const changeStatuses = [
  "created",
  "compiling",
  "running",
  "budget_blocked",
  "verifying",
  "awaiting_approval",
  "promoting",
  "releasing",
  "completed",
  "failed",
  "cancelled"
] as const
export const ChangeStatus = Schema.Literals(changeStatuses)
export type ChangeStatus = typeof ChangeStatus.Type

export const RiskTier = Schema.Literals(["low", "medium", "high", "unknown"])
export type RiskTier = typeof RiskTier.Type

export const Change = Schema.Struct({
  id: ChangeId,
  projectId: ProjectId,
  clientRequestId: Schema.String,
  goal: Schema.String,
  status: ChangeStatus,
  riskTier: RiskTier,
  budget_usd: Schema.Finite,
  spent_usd: Schema.Finite,
  kind: Schema.Literals(["goal", "rollback"]),
  createdBy: Actor,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** The status to return to when a swap is refused; set while promoting. */
  statusBeforePromoting: Schema.NullOr(ChangeStatus),
  /** The Candidate that is being promoted; only its end takes the Change back. Set while promoting. */
  promotingCandidateId: Schema.optionalKey(Schema.NullOr(CandidateId)),
  rollbackTarget: Schema.optionalKey(Schema.Finite),
  /** It was opened to be planned: a person's ChangeSet does not start it. */
  planned: Schema.optionalKey(Schema.Boolean),
  /** Why it failed or was cancelled, in words. */
  reason: Schema.NullOr(Schema.String)
})
export interface Change extends Schema.Schema.Type<typeof Change> {}

/** A finite number, 0 < budget ≤ 100, with at most 2 decimals (decisions, "API"). */
export const isBudget = (value: number): boolean =>
  Number.isFinite(value) &&
  value > 0 &&
  value <= Limits.budgetMaxUsd &&
  Math.abs(value * 100 - Math.round(value * 100)) < 1e-9
