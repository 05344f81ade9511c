/** An audit: what a second look at a Project's whole history found. The last one of each Project is kept. */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Each way in which the history can differ from what it must be. */
export const findingCodes = [
  // The line of generations.
  "history_gap",
  "history_beyond_head",
  "generation_mismatch",
  "head_mismatch",
  "trigger_mismatch",
  // What a generation came from.
  "candidate_missing",
  "candidate_not_promoted",
  "candidate_base_mismatch",
  "candidate_result_mismatch",
  "composition_mismatch",
  "change_mismatch",
  "changeset_mismatch",
  "release_mismatch",
  // The repository.
  "commit_missing",
  "commit_tree_mismatch",
  "tree_not_derived",
  "rollback_tree_mismatch",
  "main_mismatch",
  "source_index_missing",
  // Evidence, approval and Policy.
  "plan_missing",
  "plan_weakened",
  "check_unsatisfied",
  "evidence_ids_mismatch",
  "evidence_output_mismatch",
  "evidence_reuse_mismatch",
  "approval_missing",
  "approval_mismatch",
  "approval_not_carried",
  "policy_mismatch",
  "promoted_while_frozen",
  // Statements.
  "statement_missing",
  "statement_mismatch",
  "statement_unsigned",
  "chain_mismatch"
] as const
/** A code of a difference that breaks a rule of the history. */
export const FindingCode = Schema.Literals(findingCodes)
export type FindingCode = typeof FindingCode.Type

/** One difference: at which generation, which rule, and what was seen, in words. */
export const Finding = Schema.Struct({
  /** The generation at which it was seen; for the head and `main` the newest one. */
  generation: Schema.Finite,
  /** Which rule does not hold. Programs decide by it. */
  code: FindingCode,
  /** What was seen and what should be, for people. */
  detail: Schema.String
})
export interface Finding extends Schema.Schema.Type<typeof Finding> {}

/** What could not be looked at, without being wrong: an output that retention removed, a merge with several bases, a statement that is about to be signed. */
export const Note = Schema.Struct({
  /** The generation that could not be looked at in full. */
  generation: Schema.Finite,
  /** What stood in the way. */
  code: Schema.Literals(["evidence_output_expired", "tree_not_derivable", "statement_unsigned"]),
  /** Which object or commit, for people. */
  detail: Schema.String
})
export interface Note extends Schema.Schema.Type<typeof Note> {}

/** A generation that was built again because somebody asked. */
export const Rebuild = Schema.Struct({
  /** Which generation. */
  generation: Schema.Finite,
  /** When it was compared. */
  rebuiltAt: Timestamp,
  /** `same` bytes, `different` ones, or `not_built`: then nothing is known of them. */
  outcome: Schema.Literals(["same", "different", "not_built"]),
  /** The digests, and the first file that differs; or why it was not built. For people. */
  detail: Schema.String
})
export interface Rebuild extends Schema.Schema.Type<typeof Rebuild> {}

/** What the last look at a Project found; the next one replaces it. No findings: the history holds. */
export const Audit = Schema.Struct({
  /** The Project, and the key: the last audit of each is kept. */
  projectId: ProjectId,
  /** When the audit began. */
  auditedAt: Timestamp,
  /** How many generations were looked at, S0 among them. */
  generations: Schema.Finite,
  /** Every difference, oldest generation first; at most `Limits.auditFindings`. */
  findings: Schema.Array(Finding),
  /** How many differences there were beyond those; 0 for none. */
  moreFindings: Schema.Finite,
  /** What could not be looked at, oldest generation first; at most `Limits.auditFindings`. */
  notes: Schema.Array(Note),
  /** The last generation that was built again, by this look or an earlier one. */
  rebuild: Schema.optionalKey(Rebuild)
})
export interface Audit extends Schema.Schema.Type<typeof Audit> {}
