/** How much the stored bundles of a Project are. */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What a Project's bundles came to when it was looked last. */
export const BundleReport = Schema.Struct({
  /** The Project, and the key. */
  projectId: ProjectId,
  /** Bytes of all stored bundles with their assets, those of previews too. */
  bundleBytes: Schema.Finite,
  /** When it was told that they have come to `Limits.bundleAlertShare` of the budget; null while they have not. */
  alertedAt: Schema.NullOr(Timestamp),
  /** When they were measured. */
  measuredAt: Timestamp
})
export interface BundleReport extends Schema.Schema.Type<typeof BundleReport> {}
