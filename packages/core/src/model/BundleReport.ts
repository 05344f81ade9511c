/** How much the stored bundles of a Project are. */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What a Project's bundles came to when it was looked last. */
export const BundleReport = Schema.Struct({
  projectId: ProjectId,
  bundleBytes: Schema.Finite,
  /** When it was told that they are over; null while they are not. */
  alertedAt: Schema.NullOr(Timestamp),
  measuredAt: Timestamp
})
export interface BundleReport extends Schema.Schema.Type<typeof BundleReport> {}
