/** A Project: one source, one canonical line of generations, at most one live application. */
import { Schema } from "effect"
import { OrganizationId, ProjectId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"

/** `provisioning` until its first source is in place; `archived` is for good. */
export const ProjectStatus = Schema.Literals(["provisioning", "active", "archived"])
export type ProjectStatus = typeof ProjectStatus.Type

/** `cleanedAt` is when what an archived one left behind was cleared away; null until then. */
export const Project = Schema.Struct({
  id: ProjectId,
  organizationId: OrganizationId,
  /** Unique per organization. */
  slug: Schema.String,
  name: Schema.String,
  /** The host label, unique under the apps domain. */
  label: Schema.String,
  status: ProjectStatus,
  createdBy: Schema.String,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  cleanedAt: Schema.NullOr(Timestamp)
}).pipe(withWireNames({ cleanedAt: "cleaned_at" }))
export interface Project extends Schema.Schema.Type<typeof Project> {}

/** Lowercase letters, digits and single inner hyphens, 1 to 50 characters (decisions, "Where the specification disagrees", 4). */
export const isSlug = (text: string): boolean =>
  text.length >= 1 && text.length <= Limits.slugLength && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text)

/** A slug taken in an organization. */
export const SlugReservation = Schema.Struct({
  /** The organization; with the slug it is the key. */
  organizationId: OrganizationId,
  /** What is taken. */
  slug: Schema.String,
  /** Whose it is. */
  projectId: ProjectId
})
export interface SlugReservation extends Schema.Schema.Type<typeof SlugReservation> {}

/** A host label taken under the apps domain. It stays taken after the app is removed. */
export const LabelReservation = Schema.Struct({
  /** What is taken, and the key. */
  label: Schema.String,
  /** Whose it is, for good: no other Project gets a label that was once served. */
  projectId: ProjectId
})
export interface LabelReservation extends Schema.Schema.Type<typeof LabelReservation> {}
