/** What is read of the records that statements name. They are what their digests say; their shape is asked all the same. */
import { Schema } from "effect"
import { Assertion } from "../model/Approver.ts"
import { isShaped } from "../primitives/PlainJson.ts"

const Waived = Schema.Struct({ until: Schema.String })

const EvidenceText = Schema.Struct({
  subject: Schema.Struct({ candidateId: Schema.optionalKey(Schema.String) }),
  checkId: Schema.String,
  status: Schema.String,
  result: Schema.String,
  commit: Schema.String,
  tree: Schema.String,
  outputDigest: Schema.NullOr(Schema.String),
  finishedAt: Schema.optionalKey(Schema.String),
  bundleDigest: Schema.optionalKey(Schema.String),
  attempt: Schema.optionalKey(Schema.Finite),
  retryOf: Schema.optionalKey(Schema.String),
  startedAt: Schema.optionalKey(Schema.String),
  runner: Schema.optionalKey(Schema.Struct({ guarantees: Schema.Array(Schema.String) })),
  checkDigest: Schema.optionalKey(Schema.String),
  runnerDigest: Schema.optionalKey(Schema.String),
  inputsDigest: Schema.optionalKey(Schema.String),
  reuses: Schema.optionalKey(Schema.String),
  waived: Schema.optionalKey(Schema.Unknown)
})
/** A row of evidence, as far as it is read. */
export interface EvidenceText extends Schema.Schema.Type<typeof EvidenceText> {}

const ApprovalText = Schema.Struct({
  candidateId: Schema.String,
  changeId: Schema.String,
  tree: Schema.String,
  decision: Schema.String,
  approver: Schema.String,
  decidedAt: Schema.String,
  /** The `dirHash` and the plan that were decided on; only of one that a passkey signed. */
  source: Schema.optionalKey(Schema.String),
  plan: Schema.optionalKey(Schema.String),
  passkey: Schema.optionalKey(Assertion)
})
/** An approval, as far as it is read. */
export interface ApprovalText extends Schema.Schema.Type<typeof ApprovalText> {}

const Freeze = Schema.Struct({
  from: Schema.String,
  until: Schema.String,
  except: Schema.optionalKey(Schema.Array(Schema.String))
})

const PolicyText = Schema.Struct({
  version: Schema.Finite,
  approvalRiskTiers: Schema.Array(Schema.String),
  approvalsSigned: Schema.optionalKey(Schema.Array(Schema.String)),
  requiredChecks: Schema.Array(Schema.String),
  allowSelfApproval: Schema.Boolean,
  approvalsRequired: Schema.Finite,
  waivedChecks: Schema.Array(Schema.Struct({ id: Schema.String, until: Schema.String })),
  lane: Schema.optionalKey(Schema.Struct({ mode: Schema.String, carryApprovals: Schema.optionalKey(Schema.String) })),
  flakeRetries: Schema.optionalKey(Schema.Finite),
  freezes: Schema.optionalKey(Schema.Array(Freeze))
})
/** A Policy, as far as it is read. */
export interface PolicyText extends Schema.Schema.Type<typeof PolicyText> {}

const PlanText = Schema.Struct({
  policyVersion: Schema.Finite,
  riskTier: Schema.String,
  approvalRequired: Schema.Boolean,
  reuse: Schema.optionalKey(Schema.String),
  checks: Schema.Array(
    Schema.Struct({ id: Schema.String, required: Schema.Boolean, waived: Schema.optionalKey(Waived) })
  ),
  flakeRetries: Schema.optionalKey(Schema.Finite)
})
/** A verification plan, as far as it is read. */
export interface PlanText extends Schema.Schema.Type<typeof PlanText> {}

const MadeText = Schema.Array(
  Schema.Struct({
    author: Schema.Struct({ type: Schema.String, id: Schema.String, for: Schema.optionalKey(Schema.String) })
  })
)

const Held = Schema.Struct({ sha256: Schema.String })
const BundleText = Schema.Struct({
  commit: Schema.String,
  tree: Schema.String,
  modules: Schema.Record(
    Schema.String,
    Schema.Struct({ sha256: Schema.String, object: Schema.optionalKey(Schema.String) })
  ),
  maps: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Struct({ sha256: Schema.String, object: Schema.String }))
  ),
  assets: Schema.Struct({ manifest: Schema.Record(Schema.String, Held) }),
  sbom: Schema.optionalKey(Schema.Struct({ sha256: Schema.String, object: Schema.String }))
})
/** A bundle.json, as far as it is read. */
export interface BundleText extends Schema.Schema.Type<typeof BundleText> {}

/** Whether JSON is evidence, as far as it is read. */
export const isEvidence = isShaped(EvidenceText)
/** Whether JSON is an approval, as far as it is read. */
export const isApproval = isShaped(ApprovalText)
/** Whether JSON is a Policy, as far as it is read. */
export const isPolicy = isShaped(PolicyText)
/** Whether JSON is a plan, as far as it is read. */
export const isPlan = isShaped(PlanText)
/** Whether JSON is a list of ChangeSets with their authors, as far as it is read. */
export const isMade = isShaped(MadeText)
/** Whether JSON is a bundle.json, as far as it is read. */
export const isBundle = isShaped(BundleText)
