/** A Project's Policy: which risks people must approve, and which may go out by themselves. */
import { Effect, Schema } from "effect"
import { RiskTier } from "./Change.ts"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

const WaivedCheck = Schema.Struct({
  /** Of the check; its form with `@base` is waived with it. The build cannot be waived. */
  id: Schema.String,
  /** Why, for those who read plan, evidence and audit. */
  reason: Schema.String,
  /** From then on the check counts again. */
  until: Timestamp
})

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
  /** How many people must grant what needs an approval: 1 to `Limits.approvalsRequiredMax`. */
  approvalsRequired: Schema.Finite.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(1))),
  /** Checks whose failure does not count until a date (decisions, "What a check can use"). */
  waivedChecks: Schema.Array(WaivedCheck),
  /** Whether a check must also pass with the base's form of its files, where a Candidate alters them. */
  baseChecksMustPass: Schema.Boolean.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(false))),
  /** What is asked of packages; nothing where it is empty. */
  packages: PackagePolicy.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed({})))
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
