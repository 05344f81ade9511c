/** An App pointer: which bundle a host serves. One row per Project and channel; it is all that moves. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ObjectId, previewPattern, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"

/** Each status that a pointer can have (specification, "App pointer row status"). */
export const pointerStatuses = [
  /** It serves its bundle. */
  "live",
  /** Its first bundle is being made. */
  "building",
  /** There is no good bundle to serve: `reason` says why. */
  "build_failed",
  /** The builds of the day are used, and there is no good bundle to serve. */
  "limit_reached",
  /** Its app was removed: its hosts answer 410. */
  "removed"
] as const
/** One of `pointerStatuses`. */
export const PointerStatus = Schema.Literals(pointerStatuses)
export type PointerStatus = typeof PointerStatus.Type

/** `production`, `preview:<8 hex>` or `preview:v<7 digits>`. */
export const Channel = Schema.String.check(Schema.isPattern(new RegExp(`^(production|preview:(${previewPattern}))$`)))
export type Channel = typeof Channel.Type

/** The statement under which a bundle is served: entries are compared, the envelope is verified. */
export const ServedStatement = Schema.Struct({
  /** Its place in the Project's chain. */
  entry: Schema.Finite,
  /** Of the chain, when it was written. */
  epoch: Schema.Finite,
  /**
   * The JSON text of its DSSE envelope; null until it is signed. Who signs a `release` statement that the production
   * pointer serves writes it there in the same commit, and else guards that pointer: it may be moving.
   */
  envelope: Schema.NullOr(Schema.String)
})
export interface ServedStatement extends Schema.Schema.Type<typeof ServedStatement> {}

/** A bundle that a pointer serves, and the generation it is of; null for a preview that is of none. */
export const Served = Schema.Struct({
  /** The commit that the bundle was built of. */
  commit: ObjectId,
  /** The generation of that commit; null for a preview that is of none. */
  generation: Schema.NullOr(Schema.Finite),
  /** Where the bundle lies in the object store. */
  bundleKey: Schema.String,
  /** The SHA-256 of its canonical JSON, in hex: a bundle that has another one is not served. */
  bundleDigest: Sha256,
  /** Null, or not there, for what is served without a statement: previews, versions, and what is older than those. */
  provenance: Schema.optionalKey(Schema.NullOr(ServedStatement))
}).pipe(withWireNames({ bundleKey: "bundle_key", bundleDigest: "bundle_digest" }))
export interface Served extends Schema.Schema.Type<typeof Served> {}

/** A host's row. Routers serve from it and from nothing else. */
export const Pointer = Schema.Struct({
  /** The Project that it is of; with the channel it is the key. */
  projectId: ProjectId,
  /** The slug of its Project. */
  slug: Schema.String,
  /** The first part of its host. */
  label: Schema.String,
  /** What its host shows. */
  channel: Channel,
  /** Counts the pointers this channel has had: a removed row is not revived, a deploy makes the next one. */
  incarnation: Schema.Finite,
  /** Of production: the app before this one is still being cleaned away, and nothing may be served until it is. */
  leftovers: Schema.optionalKey(Schema.Boolean),
  /** Of the bundle that is served; null until there is a good one. */
  commit: Schema.NullOr(ObjectId),
  /** The generation of that commit; null for a preview that is of none, and without a bundle. */
  generation: Schema.NullOr(Schema.Finite),
  /** Where that bundle lies in the object store; null until there is one. */
  bundleKey: Schema.NullOr(Schema.String),
  /** The SHA-256 of its canonical JSON, in hex; null until there is one. */
  bundleDigest: Schema.NullOr(Sha256),
  /** Of production: the statement under which that bundle is served. As in `Served`. */
  provenance: Schema.optionalKey(Schema.NullOr(ServedStatement)),
  /** Of production: what was last served and found good. It is what a failed release goes back to. */
  lastGood: Schema.optionalKey(Schema.NullOr(Served)),
  /** What its host answers. */
  status: PointerStatus,
  /** Why a build failed, in words. */
  reason: Schema.NullOr(Schema.String),
  /** Of a preview: the Candidate that it shows. */
  candidateId: Schema.NullOr(CandidateId),
  /** Of a preview: the Change that it belongs to. */
  changeId: Schema.NullOr(ChangeId),
  /** When it was made. A preview ends `Limits.previewDays` after. */
  createdAt: Timestamp,
  /** When it moved last. */
  updatedAt: Timestamp
}).pipe(
  withWireNames({
    projectId: "project_id",
    bundleKey: "bundle_key",
    bundleDigest: "bundle_digest",
    lastGood: "last_good",
    candidateId: "candidate_id",
    changeId: "change_id",
    createdAt: "created_at",
    updatedAt: "updated_at"
  })
)
export interface Pointer extends Schema.Schema.Type<typeof Pointer> {}

/** What a pointer serves; null for one that serves nothing. */
export const servedBy = (pointer: Pointer): Served | null => {
  const { status, commit, generation, bundleKey, bundleDigest, provenance = null } = pointer
  return status !== "live" || commit === null || bundleKey === null || bundleDigest === null
    ? null
    : { commit, generation, bundleKey, bundleDigest, provenance }
}

/** What is served again, with all of it said: the pointer keeps nothing of what it served until now. */
export const whole = (served: Served): Served => ({ ...served, provenance: served.provenance ?? null })

/**
 * What the pointer goes back to when `generation` turns out bad: what was last found good; never that generation
 * itself, which an app that was deployed again beside its release may be serving already.
 */
export const restorable = (pointer: Pointer, generation: number): Served | null => {
  // A row from before this was remembered counts what it serves.
  const good = pointer.lastGood === undefined ? servedBy(pointer) : pointer.lastGood
  return good === null || good.generation === generation ? null : whole(good)
}
