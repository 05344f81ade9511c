/**
 * What each type of event tells, beside its subject and its actor. Ids are Pawl's own, commits and trees are git's, and
 * money is in US dollars. Readers take what they know: fields are added, never renamed.
 */
import type { ApprovalId, CandidateId, EvidenceId } from "../primitives/Ids.ts"
import type { RiskTier } from "./Change.ts"
import type { Claim } from "./Claim.ts"
import type { Intent } from "./ChangeSet.ts"
import type { EventType } from "./Event.ts"
import type { Trigger } from "./Generation.ts"
import type { LaneEntry, LaneOutcomeCode } from "./LaneEntry.ts"
import type { CallPurpose, CallStatus } from "./ModelCall.ts"
import type { BundleSource, ProbeResult } from "./Release.ts"
import type { Verdict } from "./Review.ts"
import type { CheckVerdict } from "./Score.ts"
import type { Complexity, ModelTier, TaskKind, TaskStatus } from "./Task.ts"

/** Of a verdict its place: what it showed stands in the evidence. */
type Judged = Pick<CheckVerdict, "checkId" | "verdict" | "evidenceId">

interface OfChange {
  readonly changeId: string
}

interface OfRelease {
  readonly releaseId: string
  readonly generation: number
}

interface Composition {
  readonly commit: string | null
  readonly tree: string | null
}

interface Decided extends OfChange {
  readonly approvalId: ApprovalId
  readonly tree: string
  /** How many people must still grant. */
  readonly owed: number
  /** Of one that was carried over: the approval that it was derived from. */
  readonly derivedFrom?: ApprovalId
  /** What the approver said beside it. */
  readonly note?: string
}

interface Rejected extends OfChange {
  readonly reason: string
  /** When the gate rejected it. */
  readonly checks?: ReadonlyArray<Judged>
  /** When it could not be merged: the first paths. */
  readonly conflicts?: ReadonlyArray<string>
  /** The Candidate that it was made on, where that was not canonical. */
  readonly ahead?: CandidateId
  /** Its base is a prediction still: the Change is not refused by this. */
  readonly provisional?: true
}

interface Advanced {
  readonly generation: number
  readonly commit: string
  readonly tree: string
  readonly candidateId: CandidateId | null
  readonly evidenceIds: ReadonlyArray<EvidenceId>
  /** The last of `approvalIds`. */
  readonly approvalId: ApprovalId | null
  readonly approvalIds?: ReadonlyArray<ApprovalId> | undefined
  readonly trigger: Trigger
}

/** How a Change ended after its promotion: by its release, or at once with its generation. */
interface Finished {
  readonly releaseId?: string
  readonly generation?: number
  readonly reason?: string
}

interface OfRun extends OfChange {
  readonly runId: string
}

interface EachEvent {
  readonly "change.compiled": { readonly baseGeneration: number; readonly tasks: ReadonlyArray<string> }
  readonly "task.created": OfChange & {
    readonly key: string
    readonly title: string
    readonly kind: TaskKind
    readonly complexity: Complexity
    readonly dependsOn: ReadonlyArray<string>
  }
  readonly "task.ready": OfChange & { readonly key: string }
  readonly "task.assigned": OfChange & {
    readonly agentId?: string
    /** Instead of an agent: the person who holds it from now on. */
    readonly userId?: string
  }
  readonly "agent.woken": OfRun & { readonly taskId: string }
  readonly "model.route.decided": OfRun & {
    readonly kind: TaskKind
    readonly complexity: Complexity
    readonly tier: ModelTier | null
    readonly attempt: number
  }
  readonly "task.started": OfRun & { readonly attempt: number }
  readonly "model.called": OfChange & {
    readonly callId: string
    readonly purpose: CallPurpose
    readonly tier: ModelTier
    readonly model: string
    readonly state: CallStatus
    readonly cost_usd: number
  }
  readonly "changeset.proposed": OfChange & Composition
  readonly "intent.declared": OfChange & {
    readonly taskId: string
    readonly intents: ReadonlyArray<Intent>
    /** Of all, also of those that are not listed. */
    readonly count: number
  }
  readonly "task.completed": OfChange & {
    /** Null when nothing was changed. */
    readonly changeSetId: string | null
    /** The key of the object that holds what a read-only Task found. */
    readonly findings?: string
  }
  readonly "task.failed": OfChange & {
    readonly status: TaskStatus
    /** Whether it failed for good; else it is blocked. */
    readonly terminal: boolean
    readonly reason: string
  }
  /** A Task of its own is to mend a Candidate that was rejected. */
  readonly "task.repair_planned": OfChange & {
    readonly key: string
    readonly candidateId: CandidateId
    readonly reason: string
  }
  readonly "claim.expired": OfChange & Pick<Claim, "taskId" | "kind" | "value" | "mode">
  readonly "verification.started": {
    /** The last Task of the Work Graph is completed, or a repair is. */
    readonly reason: "work_graph_completed" | "repaired"
  }
  readonly "candidate.composed": OfChange &
    Composition & { readonly riskTier: RiskTier } & {
      /** The Candidate that it was composed on, and the generation that it makes when all before it land. */
      readonly ahead?: CandidateId
      readonly predictedGeneration?: number
    }
  readonly "candidate.verified": OfChange & { readonly checks: ReadonlyArray<Judged> }
  readonly "candidate.rejected": Rejected
  readonly "candidate.stale": OfChange & {
    readonly baseGeneration: number
    readonly canonicalGeneration: number
    readonly reason: string
  }
  readonly "candidate.blocked": OfChange & { readonly lineage: string; readonly reason: string }
  readonly "approval.requested": OfChange & {
    readonly tree: string | null
    readonly riskTier: RiskTier | undefined
    readonly approvalsRequired: number
    /** The old promises that were not seen to hold. */
    readonly brokenPromises: ReadonlyArray<{
      readonly checkId: string
      readonly paths: ReadonlyArray<string>
      readonly count: number
    }>
  }
  readonly "approval.granted": Decided
  readonly "approval.rejected": Decided
  readonly "canonical.promotion.requested": {
    readonly candidateId: string
    readonly expectedGeneration: number
    readonly trigger: Trigger
  }
  readonly "canonical.advanced": Advanced
  readonly "build.started": OfRelease & { readonly commit: string }
  readonly "build.completed": OfRelease & {
    readonly bundleSource?: BundleSource
    readonly bundleDigest?: string
    /** Of a release target. */
    readonly buildId?: string
    readonly outcome?: string
  }
  readonly "deployment.completed": OfRelease & {
    readonly status: "deployed" | "restored"
    readonly restoredGeneration?: number | null
    /** Of a release target. */
    readonly versionId?: string
    readonly buildId?: string
  }
  readonly "deployment.failed": OfRelease & { readonly reason: string }
  readonly "release.smoke_failed": OfRelease & {
    readonly probes: ReadonlyArray<ProbeResult>
    /** A member asked for the failure. */
    readonly injected?: true
  }
  readonly "lane.entered": OfChange & Pick<LaneEntry, "ticket" | "priority" | "trigger">
  /** Its Candidate failed. What it was made on may not become canonical: nobody is to blame yet. */
  readonly "lane.doubted": OfChange & { readonly candidateId: CandidateId; readonly reason: string }
  readonly "lane.reordered": OfChange & {
    /** How many it was let before, or behind. */
    readonly passed: number
    readonly priority: LaneEntry["priority"]
  }
  readonly "lane.paused": { readonly reason: string }
  readonly "lane.resumed": Readonly<Record<string, never>>
  readonly "lane.left": OfChange & {
    readonly outcome: "landed" | "rejected" | "left"
    readonly code: LaneOutcomeCode
    /** Id of who ended it; null when nobody did. */
    readonly by: string | null
    readonly generation?: number
  }
  readonly "change.completed": Finished
  readonly "change.failed": Finished
  readonly "change.cancelled": { readonly reason?: string }
  readonly "review.completed": OfChange & { readonly candidateId: string; readonly verdict: Verdict }
  readonly "audit.passed": Readonly<Record<string, unknown>>
  readonly "audit.failed": Readonly<Record<string, unknown>>
  readonly "checkpoint.published": {
    readonly origin: string
    readonly size: number
    /** Base64. */
    readonly root: string
    /** The signed note (C2SP). */
    readonly checkpoint: string
    /** The newest one over the history of keys; null before the first. */
    readonly keys: string | null
  }
  readonly "key.rotated": {
    /** The key that signs from now on. */
    readonly keyid: string
    readonly retired: string | null
    /** The entries before this one are the retired key's to sign. */
    readonly head: number
    /** Which key it is; without it the one that signs statements. `log` makes the checkpoints: `head` is a size of theirs. */
    readonly use?: "log"
    /** It was stolen: later entries are signed anew. */
    readonly revoked?: true
  }
  readonly "project.archived": { readonly slug: string }
  readonly "app.removed": { readonly label: string }
}

/** What an event of this type tells. */
export type DataOf<T extends EventType> = EachEvent[T]
