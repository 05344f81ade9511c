/** An App pointer: which bundle a host serves. One row per Project and channel; it is all that moves. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

export const pointerStatuses = ["live", "building", "build_failed", "limit_reached", "removed"] as const
export const PointerStatus = Schema.Literal(...pointerStatuses)
export type PointerStatus = typeof PointerStatus.Type

/** `production`, `preview:<8 hex>` or `preview:v<7 digits>`. */
export const Channel = Schema.String.pipe(Schema.pattern(/^(production|preview:([0-9a-f]{8}|v[0-9]{7}))$/))
export type Channel = typeof Channel.Type

export const Pointer = Schema.Struct({
  project_id: ProjectId,
  slug: Schema.String,
  label: Schema.String,
  channel: Channel,
  /** Counts the pointers this channel has had: a removed row is not revived, a deploy makes the next one. */
  incarnation: Schema.Number,
  /** Of the bundle that is served; null until there is a good one. */
  commit: Schema.NullOr(ObjectId),
  generation: Schema.NullOr(Schema.Number),
  bundle_key: Schema.NullOr(Schema.String),
  bundle_digest: Schema.NullOr(Sha256),
  status: PointerStatus,
  /** Why a build failed, in words. */
  reason: Schema.NullOr(Schema.String),
  candidate_id: Schema.NullOr(CandidateId),
  change_id: Schema.NullOr(ChangeId),
  created_at: Timestamp,
  updated_at: Timestamp
})
export interface Pointer extends Schema.Schema.Type<typeof Pointer> {}
