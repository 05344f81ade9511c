/** A Project's Policy: which risks people must approve, and which may go out by themselves. */
import { Effect, Schema } from "effect"
import { RiskTier } from "./Change.ts"
import { ProjectId, UserId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

const WaivedCheck = Schema.Struct({
  /** Of the check; its form with `@base` is waived with it. The build cannot be waived. */
  id: Schema.String,
  /** Why, for those who read plan, evidence and audit. */
  reason: Schema.String,
  /** From then on the check counts again. */
  until: Timestamp,
  /** Of a quarantine: the check was seen to fail and pass on one tree. At most `Limits.quarantineDaysMax` long. */
  because: Schema.optionalKey(Schema.Literal("flaky"))
})

/** A time in which nothing is promoted but rollbacks. Checks go on. */
export const Freeze = Schema.Struct({
  /** The first moment of it. */
  from: Timestamp,
  /** From then on promotions go on by themselves. */
  until: Timestamp,
  /** Why, for those who wait. */
  reason: Schema.String,
  /** Those whose own promotions go on. */
  except: Schema.optionalKey(Schema.Array(UserId))
})
export interface Freeze extends Schema.Schema.Type<typeof Freeze> {}

/** What is asked of packages that a Candidate adds, or moves to another version. Those of its base are not judged again. */
export const PackagePolicy = Schema.Struct({
  /** Younger ones are of `high` risk. In days since the registry got them. */
  minAgeDays: Schema.optionalKey(Schema.Finite),
  /** Names that are refused, `*` for any run of characters. Before `allow`. */
  deny: Schema.optionalKey(Schema.Array(Schema.String)),
  /** When it is there, all other names are refused. */
  allow: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface PackagePolicy extends Schema.Schema.Type<typeof PackagePolicy> {}

/** How Changes land in turn. */
export const LanePolicy = Schema.Struct({
  /** `on`: Changes land by the lane, each verified on those before it. */
  mode: Schema.Literals(["off", "on"]),
  /** How many entries are predicted at once, 1 to `Limits.laneDepth`; absent: learned from the Project's own failures. */
  depth: Schema.optionalKey(Schema.Finite),
  /** Whether an approval counts again for the same change on another tree. Absent for `never`. */
  carryApprovals: Schema.optionalKey(Schema.Literals(["never", "same-blobs"])),
  /** Whether the lane waits for a person after a rollback has landed. Absent for true. */
  holdAfterRollback: Schema.optionalKey(Schema.Boolean)
})
export interface LanePolicy extends Schema.Schema.Type<typeof LanePolicy> {}

/** When evidence of before counts again: never, for the same tree, or also for the same declared inputs of a check. */
export const EvidenceReuse = Schema.Literals(["none", "tree", "inputs"])
export type EvidenceReuse = typeof EvidenceReuse.Type

/**
 * Whether Tasks may be worked outside, by agents that people bring: `never`; `also`, by whoever takes them first, the
 * agent that is built in or one outside; or by those outside `only`. These are the words of stores; the wire says false,
 * true and `only`.
 */
export const OutsideAgents = Schema.Literals(["never", "also", "only"])
export type OutsideAgents = typeof OutsideAgents.Type

/** What an admin sets. What older rows and requests lack is filled in on reading. */
export const PolicyFields = Schema.Struct({
  /** Risks that go out without a person; `unknown` never does. */
  autoPromoteRiskTiers: Schema.Array(RiskTier),
  /** Risks that people must approve. */
  approvalRiskTiers: Schema.Array(RiskTier),
  /** Ids of checks that are required whatever their definition says. */
  requiredChecks: Schema.Array(Schema.String),
  /** Whether those may approve who opened the Change or wrote what is in it. */
  allowSelfApproval: Schema.Boolean,
  /** Of those, the risks whose approvals count only when a passkey has signed them. Absent or empty for none. */
  approvalsSigned: Schema.optionalKey(Schema.Array(RiskTier)),
  /** How many people must grant what needs an approval: 1 to `Limits.approvalsRequiredMax`. */
  approvalsRequired: Schema.Finite.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(1))),
  /** Checks whose failure does not count until a date (decisions, "What a check can use"). */
  waivedChecks: Schema.Array(WaivedCheck),
  /** Whether a check must also pass with the base's form of its files, where a Candidate alters them. */
  baseChecksMustPass: Schema.Boolean.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(false))),
  /** How Changes land in turn. Absent for the mode `off`. */
  lane: Schema.optionalKey(LanePolicy),
  /** What is asked of packages; nothing where it is empty. */
  packages: PackagePolicy.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed({}))),
  /** How often a command that failed runs once more, on the same tree in a new sandbox. Absent for never. */
  flakeRetries: Schema.optionalKey(Schema.Literals([0, 1])),
  /** Times in which nothing is promoted; absent for none. */
  freezes: Schema.optionalKey(Schema.Array(Freeze)),
  /** When evidence of before counts again. Absent for `none`. */
  evidenceReuse: Schema.optionalKey(EvidenceReuse),
  /** Whether Tasks may be worked outside. Absent for `also`. */
  outsideAgents: Schema.optionalKey(OutsideAgents)
})
export interface PolicyFields extends Schema.Schema.Type<typeof PolicyFields> {}

/** The Policy in force. Each version of it is also kept under its number, from 1 on. */
export const Policy = Schema.Struct({
  /** The Project, and the key. */
  projectId: ProjectId,
  /** Counts from 1; each change is a new one. */
  version: Schema.Finite,
  ...PolicyFields.fields,
  /** When this version was set. */
  updatedAt: Timestamp,
  /** Id of the user who set it; `system:default` for the first. */
  updatedBy: Schema.String
})
export interface Policy extends Schema.Schema.Type<typeof Policy> {}

/** Approval for `high`, auto-promotion for none (decisions, "Where the specification disagrees", 13). */
export const defaultPolicy: PolicyFields = {
  autoPromoteRiskTiers: [],
  approvalRiskTiers: ["high"],
  requiredChecks: [],
  allowSelfApproval: true,
  approvalsRequired: 1,
  waivedChecks: [],
  baseChecksMustPass: false,
  packages: {}
}
