/**
 * Identifiers, as the specification's table "Identifiers" and the decisions' "Identifiers" give them.
 * Angle brackets nest whole ids: a Task of `chg_1` with key `edit-1` is `tsk_chg_1_edit-1`.
 */
import { Clock, Effect, Random, Schema } from "effect"
import { Limits } from "./Limits.ts"
import { matching } from "./TextPattern.ts"

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
const ulid = "[0-9A-HJKMNP-TV-Z]{26}"

const id = <const P extends string>(prefix: P, body: string) =>
  Schema.TemplateLiteral([prefix, Schema.String])
    .annotate({ title: `\`${prefix}\${string}\`` })
    .check(matching(`^${prefix}${body}$`))

/** `proj_<uuid>` */
export const ProjectId = id("proj_", uuid)
export type ProjectId = typeof ProjectId.Type
/** `org_<uuid>` */
export const OrganizationId = id("org_", uuid)
export type OrganizationId = typeof OrganizationId.Type
/** `usr_<uuid>` */
export const UserId = id("usr_", uuid)
export type UserId = typeof UserId.Type
/** `chg_<uuid>` */
export const ChangeId = id("chg_", uuid)
export type ChangeId = typeof ChangeId.Type
/** `tsk_<Change>_<key>` */
export const TaskId = id("tsk_", `chg_${uuid}_[a-z0-9-]{1,40}`)
export type TaskId = typeof TaskId.Type
/** `agt_<Task>`: who works one Task, in all its runs. */
export const AgentId = id("agt_", `tsk_chg_${uuid}_[a-z0-9-]{1,40}`)
export type AgentId = typeof AgentId.Type
/** `run_<Task>_<attempt>` */
export const RunId = id("run_", `tsk_chg_${uuid}_[a-z0-9-]{1,40}_[0-9]{1,6}`)
export type RunId = typeof RunId.Type
/**
 * `mc_<what asked>_<turn>_<try>`, both from 1 on: what asked is a run, the planner of a Change (`<Change>_plan`) or the
 * review of a Candidate (`<Change>_review_<24 hex characters>`).
 */
export const ModelCallId = id(
  "mc_",
  `(run_tsk_chg_${uuid}_[a-z0-9-]{1,40}_[0-9]{1,6}|chg_${uuid}_(plan|review_[0-9a-f]{24}))_[0-9]{1,6}_[0-9]{1,6}`
)
export type ModelCallId = typeof ModelCallId.Type
/** `cs_<run>`: a run publishes at most one. */
export const ChangeSetId = id("cs_", `run_tsk_chg_${uuid}_[a-z0-9-]{1,40}_[0-9]{1,6}`)
export type ChangeSetId = typeof ChangeSetId.Type
/** `cand_` and 24 hex characters of a digest of what it is made of. */
export const CandidateId = id("cand_", "[0-9a-f]{24}")
export type CandidateId = typeof CandidateId.Type
/** `rel_<Project>_<generation>` */
export const ReleaseId = id("rel_", `proj_${uuid}_[0-9]+`)
export type ReleaseId = typeof ReleaseId.Type
/** `evt_<ULID>` */
export const EventId = id("evt_", ulid)
export type EventId = typeof EventId.Type
/** `evd_<ULID>` */
export const EvidenceId = id("evd_", ulid)
export type EvidenceId = typeof EvidenceId.Type
/** `apr_<ULID>` */
export const ApprovalId = id("apr_", ulid)
export type ApprovalId = typeof ApprovalId.Type
/** `clm_` and 24 hex characters of a digest of what it claims, and for whom. */
export const ClaimId = id("clm_", "[0-9a-f]{24}")
export type ClaimId = typeof ClaimId.Type
/** `rev_` and the 24 hex characters of its Candidate. */
export const ReviewId = id("rev_", "[0-9a-f]{24}")
export type ReviewId = typeof ReviewId.Type
/** `ent_<ULID>`: an entry of the lane. */
export const LaneEntryId = id("ent_", ulid)
export type LaneEntryId = typeof LaneEntryId.Type
/** `note_<ULID>` */
export const NoteId = id("note_", ulid)
export type NoteId = typeof NoteId.Type
/** `tok_<ULID>`: names a token, and is no secret. */
export const TokenId = id("tok_", ulid)
export type TokenId = typeof TokenId.Type
/** `ses_<ULID>`: names a session, and is no secret. */
export const SessionId = id("ses_", ulid)
export type SessionId = typeof SessionId.Type
/** `dev_<ULID>`: names a device's question. */
export const DeviceGrantId = id("dev_", ulid)
export type DeviceGrantId = typeof DeviceGrantId.Type
/** `whk_<ULID>` */
export const WebhookId = id("whk_", ulid)
export type WebhookId = typeof WebhookId.Type

/** `whd_<ULID of the webhook>_<number>`, numbered from 1 on. */
export const WebhookDeliveryId = id("whd_", `${ulid}_[1-9][0-9]{0,14}`)
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type

/** A git object id: 40 lowercase hex characters. */
export const ObjectId = Schema.String.check(matching("^[0-9a-f]{40}$"))
/** A SHA-256 digest: 64 lowercase hex characters. */
export const Sha256 = Schema.String.check(matching("^[0-9a-f]{64}$"))

/** The id of a Task: `key` is `[a-z0-9-]{1,40}` and unique in the Change. */
export const taskId = (change: ChangeId, key: string): TaskId => `tsk_${change}_${key}`
/** The id of the one agent of a Task. */
export const agentId = (task: TaskId): AgentId => `agt_${task}`
/** The id of an attempt at a Task, from 1 on. */
export const runId = (task: TaskId, attempt: number): RunId => `run_${task}_${attempt}`
/** The id of the one ChangeSet that a run may publish. */
export const changeSetId = (run: RunId): ChangeSetId => `cs_${run}`
/** The id of the one release of a generation. */
export const releaseId = (project: ProjectId, generation: number): ReleaseId => `rel_${project}_${generation}`
/** The id of the one review of a Candidate. */
export const reviewId = (candidate: CandidateId): ReviewId => `rev_${candidate.slice("cand_".length)}`
/** The first 8 of the 24 hex characters of a Candidate id: the name of its preview host. */
export const previewId = (candidate: CandidateId): string =>
  candidate.slice("cand_".length, "cand_".length + Limits.previewIdLength)
/** What stands before `--` in the name of a preview's or a version's host, as a pattern. */
export const previewPattern = `[0-9a-f]{${Limits.previewIdLength}}|v[0-9]{${Limits.versionDigits}}`
/** `v` and the generation in 7 digits: the name of a version host. */
export const versionId = (generation: number): string => `v${String(generation).padStart(Limits.versionDigits, "0")}`
/** The name of the fork that a run works in. */
export const workspaceFork = (run: RunId): string => `ws-${run}`
/** The name of the fork that a Candidate is composed in. */
export const candidateFork = (candidate: CandidateId): string => `cand-${candidate}`

const hex = (count: number): Effect.Effect<string> =>
  Effect.map(Effect.all(Array.from({ length: count }, () => Random.nextIntBetween(0, 15))), (digits) =>
    digits.map((digit) => digit.toString(16)).join("")
  )

/** A version 4 UUID drawn from the program's own `Random`. */
export const makeUuid: Effect.Effect<string> = Effect.map(
  Effect.all([hex(31), Random.nextIntBetween(8, 11)]),
  ([h, variant]) =>
    `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(12, 15)}-${variant.toString(16)}${h.slice(15, 18)}-${h.slice(18, 30)}`
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A number in Crockford's base 32, its last `length` digits. */
const base32 = (value: number, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = crockford[rest % 32] + text
  return text
}

/** A ULID: 48 bits of the program's clock, then 80 random bits (four draws of 20), in Crockford's base 32. */
export const makeUlid: Effect.Effect<string> = Effect.withFiberSucceed((fiber) => {
  const random = fiber.getRef(Random.Random)
  let text = base32(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(), 10)
  for (let i = 0; i < 4; i++) text += base32(Math.floor(random.nextDoubleUnsafe() * 2 ** 20), 4)
  return text
})
