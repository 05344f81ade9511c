/** Every kind of record the ledger keeps: its schema, its key, what it can be looked up by, and its life. */
import type { Schema } from "effect"
import { Departure, Membership, Organization, OrganizationMember, Token, User } from "./Membership.ts"
import { Approval, approvalKey } from "./Approval.ts"
import { Approver } from "./Approver.ts"
import { Chain, ChainLog } from "./Chain.ts"
import { SigningKey } from "./SigningKey.ts"
import { Particulars } from "./Particulars.ts"
import { aboutOf, Statement, statementKey } from "./Statement.ts"
import { Policy } from "./Policy.ts"
import { DeviceGrant, Identity, Session, SignInCode } from "./SignIn.ts"
import { Pointer } from "./Pointer.ts"
import { PointerLifecycle } from "./PointerLifecycle.ts"
import { Candidate } from "./Candidate.ts"
import { CandidateLifecycle } from "./CandidateLifecycle.ts"
import { Change } from "./Change.ts"
import { ChangeLifecycle } from "./ChangeLifecycle.ts"
import { Claim } from "./Claim.ts"
import { ClaimLifecycle } from "./ClaimLifecycle.ts"
import { ChangeSet } from "./ChangeSet.ts"
import { Consumer, consumerKey } from "./Consumer.ts"
import { Delivery } from "./Delivery.ts"
import { ModelCall } from "./ModelCall.ts"
import { ModelCallLifecycle } from "./ModelCallLifecycle.ts"
import { Webhook } from "./Webhook.ts"
import { Evidence } from "./Evidence.ts"
import { Flake } from "./Flake.ts"
import { LabelReservation, Project, SlugReservation } from "./Project.ts"
import { Audit } from "./Audit.ts"
import { Generation, Head } from "./Generation.ts"
import { Review } from "./Review.ts"
import { Note } from "./Note.ts"
import { Release } from "./Release.ts"
import { ReleaseLifecycle } from "./ReleaseLifecycle.ts"
import { ReleaseTarget } from "./ReleaseTarget.ts"
import { Task, TaskRun } from "./Task.ts"
import { TaskLifecycle } from "./TaskLifecycle.ts"
import { BundleReport } from "./BundleReport.ts"
import { Schedule } from "./Schedule.ts"
import { Lane } from "./Lane.ts"
import { LaneEntry } from "./LaneEntry.ts"
import { LaneEntryLifecycle } from "./LaneEntryLifecycle.ts"
import type { Lifecycle } from "./Lifecycle.ts"

/** What an indexed column holds. */
export type Value = string | number | null

/** How a kind of record is kept. */
export interface Entity<A> {
  /** Its encoded form is JSON. */
  readonly schema: Schema.Codec<A, unknown>
  /** The key, unique among records of this kind. */
  readonly id: (record: A) => string
  /** The Project it belongs to; null for the directory. */
  readonly project: (record: A) => string | null
  /** What records can be listed by, beside Project. Each is an indexed column. */
  readonly columns: Readonly<Record<string, (record: A) => Value>>
  readonly lifecycle?: Lifecycle<string, string>
}

const entity = <A, I, const C extends Readonly<Record<string, (record: A) => Value>>>(
  schema: Schema.Codec<A, I>,
  id: (record: A) => string,
  project: (record: A) => string | null,
  columns: C
) => ({ schema: schema as unknown as Schema.Codec<A, unknown>, id, project, columns })

/** A kind of record that has a life: the lifecycle keeps its own type, so that each step is checked as it is written. */
const living = <
  A,
  I,
  const C extends Readonly<Record<string, (record: A) => Value>>,
  L extends Lifecycle<string, string>
>(
  schema: Schema.Codec<A, I>,
  id: (record: A) => string,
  project: (record: A) => string | null,
  columns: C,
  lifecycle: L
) => ({ ...entity(schema, id, project, columns), lifecycle })

const directory = () => null
const byProjectId = (record: { readonly projectId: string }) => record.projectId
const byChain = ({ chain }: { readonly chain: string }) => (chain === "instance" ? null : chain)
const byId = (record: { readonly id: string }) => record.id

/** Every kind by its name. Stores make their tables and their guards from this. */
export const Entities = {
  organization: entity(Organization, byId, directory, { sponsor: (each) => each.sponsor ?? null }),
  /** Who was disabled counts for nobody any more. */
  user: entity(User, byId, directory, {
    sponsor: (each) => (each.disabledAt === undefined ? (each.sponsor ?? null) : null)
  }),
  organizationMember: entity(OrganizationMember, (each) => `${each.organizationId}/${each.userId}`, directory, {
    organizationId: (each) => each.organizationId,
    userId: (each) => each.userId
  }),
  departure: entity(Departure, (each) => `${each.organizationId}/${each.userId}`, directory, {
    userId: (each) => each.userId
  }),
  membership: entity(Membership, (each) => `${each.projectId}/${each.userId}`, directory, {
    projectId: (each) => each.projectId,
    userId: (each) => each.userId
  }),
  token: entity(Token, byId, directory, { hash: (each) => each.hash, userId: (each) => each.userId }),
  session: entity(Session, byId, directory, { hash: (each) => each.hash, userId: (each) => each.userId }),
  signInCode: entity(SignInCode, (each) => each.hash, directory, {}),
  identity: entity(Identity, (each) => each.hash, directory, { userId: (each) => each.userId }),
  deviceGrant: entity(DeviceGrant, byId, directory, {
    hash: (each) => each.hash,
    userCode: (each) => each.userCodeHash
  }),
  slug: entity(SlugReservation, (each) => `${each.organizationId}/${each.slug}`, directory, {}),
  label: entity(LabelReservation, (each) => each.label, directory, { projectId: (each) => each.projectId }),
  schedule: entity(Schedule, (each) => each.name, directory, {}),
  project: entity(Project, byId, byId, {
    organizationId: (each) => each.organizationId,
    status: (each) => each.status,
    /** `yes` for an archived Project whose cleanup is not done. */
    uncleaned: (each) => (each.status === "archived" && each.cleanedAt === null ? "yes" : "no")
  }),
  policy: entity(Policy, byProjectId, byProjectId, {}),
  policyVersion: entity(Policy, (each) => `${each.projectId}/${each.version}`, byProjectId, {}),
  change: living(Change, byId, byProjectId, { status: (each) => each.status }, ChangeLifecycle),
  task: living(
    Task,
    byId,
    byProjectId,
    { changeId: (each) => each.changeId, status: (each) => each.status },
    TaskLifecycle
  ),
  taskRun: entity(TaskRun, byId, byProjectId, {
    changeId: (each) => each.changeId,
    taskId: (each) => each.taskId,
    /** Null for a run that nobody is let in by. */
    token: (each) => each.tokenHash ?? null,
    fork: (each) => (each.workspaceFork !== null && each.forkDeletedAt === null ? "kept" : "none")
  }),
  modelCall: living(
    ModelCall,
    byId,
    byProjectId,
    { changeId: (each) => each.changeId, runId: (each) => each.runId ?? null, status: (each) => each.status },
    ModelCallLifecycle
  ),
  note: entity(Note, byId, byProjectId, { changeId: (each) => each.changeId, taskId: (each) => each.taskId }),
  changeSet: entity(ChangeSet, byId, byProjectId, { changeId: (each) => each.changeId }),
  claim: living(
    Claim,
    byId,
    byProjectId,
    {
      changeId: (each) => each.changeId,
      taskId: (each) => each.taskId,
      status: (each) => each.status
    },
    ClaimLifecycle
  ),
  candidate: living(
    Candidate,
    byId,
    byProjectId,
    {
      changeId: (each) => each.changeId,
      status: (each) => each.status,
      lineage: (each) => each.lineage,
      tree: (each) => each.tree,
      fork: (each) => (each.forkDeletedAt === null ? "kept" : "none")
    },
    CandidateLifecycle
  ),
  lane: entity(Lane, byProjectId, byProjectId, {}),
  laneEntry: living(
    LaneEntry,
    byId,
    byProjectId,
    { changeId: (each) => each.changeId, status: (each) => each.status },
    LaneEntryLifecycle
  ),
  evidence: entity(Evidence, byId, byProjectId, {
    subject: (each) => each.subject.candidateId ?? each.subject.releaseId ?? null
  }),
  flake: entity(Flake, (each) => each.passId, byProjectId, { checkId: (each) => each.checkId }),
  review: entity(Review, byId, byProjectId, { changeId: (each) => each.changeId }),
  approval: entity(Approval, (each) => approvalKey(each.candidateId, each.nth ?? 1), byProjectId, {
    changeId: (each) => each.changeId
  }),
  generation: entity(Generation, (each) => generationKey(each.projectId, each.generation), byProjectId, {
    tree: (each) => each.tree
  }),
  // Each index is pages that a promotion writes: entries are read by their keys, and by what they are about.
  statement: entity(Statement, (each) => statementKey(each.chain, each.entry), byChain, {
    /** Null for one that is about no generation. */
    about: (each) => (each.generation === null ? null : aboutOf(each.chain, each.kind, each.generation))
  }),
  particulars: entity(Particulars, (each) => statementKey(each.projectId, each.entry), byProjectId, {}),
  chain: entity(Chain, (each) => each.chain, byChain, {}),
  chainLog: entity(ChainLog, (each) => each.chain, byChain, {
    /** Why nothing of it is signed; null while it is. */
    refused: (each) => each.refused?.code ?? null
  }),
  signingKey: entity(SigningKey, (each) => each.keyid, directory, { use: (each) => each.use }),
  approver: entity(Approver, (each) => each.credential, directory, { user: (each) => each.user }),
  head: entity(Head, byProjectId, byProjectId, {}),
  bundleReport: entity(BundleReport, byProjectId, byProjectId, {}),
  audit: entity(Audit, byProjectId, byProjectId, {}),
  release: living(Release, byId, byProjectId, { status: (each) => each.status }, ReleaseLifecycle),
  releaseTarget: entity(ReleaseTarget, byProjectId, byProjectId, {}),
  consumer: entity(Consumer, (each) => consumerKey(each.projectId, each.group), byProjectId, {}),
  webhook: entity(Webhook, byId, byProjectId, {}),
  webhookDelivery: entity(Delivery, byId, byProjectId, { webhookId: (each) => each.webhookId }),
  pointer: living(
    Pointer,
    (each) => pointerKey(each.projectId, each.channel),
    (each) => each.projectId,
    {
      label: (each) => each.label,
      channel: (each) => each.channel,
      changeId: (each) => each.changeId,
      status: (each) => each.status,
      /** `yes` for a Candidate's preview. Versions stay. */
      expires: (each) => (each.candidateId === null ? "no" : "yes")
    },
    PointerLifecycle
  )
}

/** The name of a kind of record. */
export type Kind = keyof typeof Entities
/** The record of a kind, decoded. */
export type RecordOf<K extends Kind> = Schema.Schema.Type<(typeof Entities)[K]["schema"]>
/** What a kind can be listed by, beside its Project. */
export type ColumnsOf<K extends Kind> = keyof (typeof Entities)[K]["columns"]
/** A kind that has a life. */
export type LivingKind = {
  [K in Kind]: (typeof Entities)[K] extends { readonly lifecycle: unknown } ? K : never
}[Kind]
/** The lifecycle of a kind that has one. */
export type LifeOf<K extends LivingKind> = (typeof Entities)[K]["lifecycle"]
/** The names of all kinds, in the order of `Entities`. */
export const kinds = Object.keys(Entities) as ReadonlyArray<Kind>

/** The entity of a kind, with its record type. */
export const entityOf = <K extends Kind>(kind: K): Entity<RecordOf<K>> =>
  Entities[kind] as unknown as Entity<RecordOf<K>>

/** A generation's key: the Project and the integer. */
export function generationKey(projectId: string, generation: number): string {
  return `${projectId}/${generation}`
}
/** A pointer's key: one row per Project and channel. */
export function pointerKey(projectId: string, channel: string): string {
  return `${projectId}/${channel}`
}
