/** What a verification says: findings by code, each with its place and its words. */
import { Limits } from "../primitives/Limits.ts"
import { short } from "../primitives/ShortText.ts"

/** Every code. They never change their meaning; `docs/reference/statements.md` says what each one means. */
export const findingCodes = [
  // Envelopes and their signatures
  "statement_unreadable",
  "envelope_type",
  "signature_missing",
  "statement_unsigned",
  "signature_invalid",
  "key_unknown",
  "type_unknown",
  // Keys
  "key_not_trusted",
  "key_proof_invalid",
  "key_retired",
  "key_revoked",
  // The chain and its log
  "chain_gap",
  "chain_broken",
  "time_backwards",
  "project_mismatch",
  "statements_missing",
  "checkpoint_unreadable",
  "checkpoint_signature",
  "checkpoint_mismatch",
  "history_rewritten",
  "history_lost",
  "log_behind",
  // Records and objects
  "record_missing",
  "record_mismatch",
  "output_missing",
  "output_mismatch",
  "bundle_missing",
  "bundle_mismatch",
  "asset_missing",
  "asset_mismatch",
  "adopted_mismatch",
  // What promotions stood on
  "generation_gap",
  "base_mismatch",
  "policy_rolled_back",
  "policy_mismatch",
  "rollback_tree_mismatch",
  "promoted_while_frozen",
  "check_missing",
  "check_unsatisfied",
  "waiver_expired",
  "evidence_of_other",
  "evidence_reuse_mismatch",
  "evidence_retry_mismatch",
  "bundle_not_verified",
  "approval_missing",
  "approval_other_tree",
  "approval_not_carried",
  "self_approval",
  "approver_unknown",
  "approval_signature_invalid",
  // Releases, and what is served
  "release_not_promoted",
  "bundle_not_derived",
  "live_mismatch",
  "live_unstated",
  "live_asset_mismatch",
  "live_statement_mismatch",
  "release_superseded",
  "release_other_place",
  // The repository
  "main_mismatch",
  "commit_missing",
  "commit_tree_mismatch",
  "source_mismatch",
  // What could not be read at all
  "pack_unreadable"
] as const
/** One of `findingCodes`. */
export type FindingCode = (typeof findingCodes)[number]

/** What is worth knowing and is nobody's fault: `docs/reference/statements.md` says what each one means. */
const noteCodes = ["statement_unsigned", "output_expired", "epoch_begun"] as const
/** One of `noteCodes`. */
export type NoteCode = (typeof noteCodes)[number]

/** One such thing, at its place. */
export interface Note extends Omit<Finding, "code"> {
  readonly code: NoteCode
}

/** One thing that is not as it was stated. */
export interface Finding {
  readonly code: FindingCode
  /** `entry 11 (S5)`, `key 2`, `checkpoint`, `seen checkpoint`, `main`, `live`, or `pack`. */
  readonly where: string
  /** What was found, for a person. At most `Limits.repeatedLength` characters of what the material says. */
  readonly words: string
}

/** What collects findings and notes. Of each it keeps `Limits.findingsKept` and counts the other findings: hostile material has millions. */
export interface Findings {
  readonly say: (where: string, code: FindingCode, words?: string) => void
  readonly note: (where: string, code: NoteCode, words: string) => void
  /** What was said, in the order in which it was found. */
  readonly list: ReadonlyArray<Finding>
  readonly notes: ReadonlyArray<Note>
  /** How many more there are. */
  readonly more: () => number
}

/** An empty collection. */
export const emptyFindings = (): Findings => {
  const list: Array<Finding> = []
  const notes: Array<Note> = []
  let more = 0
  return {
    list,
    notes,
    more: () => more,
    note: (where, code, words) => {
      if (notes.length < Limits.findingsKept) notes.push({ code, where, words: short(words) })
    },
    say: (where, code, words = "") => {
      if (list.length < Limits.findingsKept) list.push({ code, where, words: short(words) })
      else more++
    }
  }
}
