/** The bounds of Policies, and of what people say as they decide. Others read them as `Limits`: they are part of those. */

/** Each bound by its name, as in `Limits`. */
export const PolicyLimits = {
  // Policies (decisions)
  /** People whose approval a Policy may ask for. */
  approvalsRequiredMax: 5,
  /** Freezes in a Policy (design). */
  freezesPerPolicy: 20,
  /** People whom a freeze excepts (design). */
  freezeExceptions: 20,
  /** Of the reason for a freeze, in characters (design). */
  freezeReasonLength: 1000,
  /** The newest Changes that a draft of a Policy is tried on (issue: "what it would have done to the last 20 Changes"). */
  backtestChanges: 20,

  // Rollbacks
  /** Generations that the plan of a rollback names, the newest first; it counts the rest (decision: a page of a list). */
  undoneNamed: 100,
  /** Files that it names; it counts the rest (decision: as many as a source may have). */
  rollbackFilesNamed: 400,
  /** Of the reason of a rollback, in characters (decision: as of a freeze). */
  rollbackReasonLength: 1000,

  // Approvals
  /** Of what a person says beside their decision, in characters (decision: as of a freeze). */
  approvalNoteLength: 1000
} as const
