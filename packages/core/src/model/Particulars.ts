/**
 * The particulars of a statement: what it tells and no other record keeps. They are written with it, in one commit, so that
 * an audit can make the statement anew. A promotion and a Policy have none: their own records tell all of them.
 */
import { Schema } from "effect"
import { ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { BundleSource, ProbeResult } from "./Release.ts"

const place = {
  /** Whose statement it is; with `entry` it is the key. */
  projectId: ProjectId,
  /** The place of the statement in its chain. */
  entry: Schema.Finite,
  /** The generation that it is about. */
  generation: Schema.Finite
}

/** What was about to be served by the production pointer. */
export const ReleaseParticulars = Schema.Struct({
  ...place,
  kind: Schema.Literal("release"),
  /** Of the pointer that was about to move. */
  incarnation: Schema.Finite,
  bundleDigest: Sha256,
  /** Where the bundle came from. */
  source: BundleSource,
  /** Of a bundle that was made from another generation's: of which, and its digest; null else. */
  derivedFrom: Schema.NullOr(Schema.Struct({ generation: Schema.Finite, digest: Sha256 })),
  /** The digest of the bundle to go back to; null for none. */
  mayRestore: Schema.NullOr(Sha256)
})
export interface ReleaseParticulars extends Schema.Schema.Type<typeof ReleaseParticulars> {}

/** How a release can end, as statements call it. */
export const Outcome = Schema.Literals(["deployed", "smoke_failed", "failed", "superseded", "removed"])
export type Outcome = typeof Outcome.Type

/** How what was released ended. */
export const OutcomeParticulars = Schema.Struct({
  ...place,
  kind: Schema.Literal("outcome"),
  outcome: Outcome,
  /** The digest of its newest `release` statement; null for one that never came so far. */
  release: Schema.NullOr(Sha256),
  /** What is served again, null for nothing; not there where the pointer did not go back. */
  restored: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ generation: Schema.NullOr(Schema.Finite), bundleDigest: Sha256 }))
  ),
  /** What its smoke test saw; null where there was none. */
  probes: Schema.NullOr(Schema.Array(ProbeResult)),
  /** A person had it fail: nothing moved. */
  injected: Schema.optionalKey(Schema.Literal(true))
})
export interface OutcomeParticulars extends Schema.Schema.Type<typeof OutcomeParticulars> {}

/** What was found of a Project when it was adopted. */
export const AdoptedParticulars = Schema.Struct({
  ...place,
  kind: Schema.Literal("adopted"),
  /** Whether an audit found nothing. */
  clean: Schema.Boolean
})
export interface AdoptedParticulars extends Schema.Schema.Type<typeof AdoptedParticulars> {}

/** What the signer knew of the epoch before, when the database was put back. */
export const RestoredParticulars = Schema.Struct({
  ...place,
  kind: Schema.Literal("restored"),
  /** The head at that time. */
  commit: ObjectId,
  tree: ObjectId,
  /** The newest checkpoint that was signed. */
  old: Schema.Struct({ origin: Schema.String, size: Schema.Finite, root: Schema.String }),
  /** The entry from which on all are lost, up to that checkpoint's size; null for none. */
  lostFrom: Schema.NullOr(Schema.Finite)
})
export interface RestoredParticulars extends Schema.Schema.Type<typeof RestoredParticulars> {}

/** Stored once and never changed. */
export const Particulars = Schema.Union([
  ReleaseParticulars,
  OutcomeParticulars,
  AdoptedParticulars,
  RestoredParticulars
])
export type Particulars = typeof Particulars.Type
