/** A Project: one source, one canonical line of generations, at most one live application. */
import { Schema } from "effect"
import { OrganizationId, ProjectId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"

/** `provisioning` until its first source is in place; `archived` is for good. */
export const ProjectStatus = Schema.Literals(["provisioning", "active", "archived"])
export type ProjectStatus = typeof ProjectStatus.Type

/** What the wire calls the time of a Project's cleanup. */
export const projectNames = { cleanedAt: "cleaned_at" } as const

/** A source with one canonical line, and the app that is served of it. */
export const Project = Schema.Struct({
  /** `proj_` and a UUID. */
  id: ProjectId,
  /** The organization that it belongs to, for good. */
  organizationId: OrganizationId,
  /** Unique per organization. */
  slug: Schema.String,
  /** For people, and free to repeat. */
  name: Schema.String,
  /** The host label, unique under the apps domain. */
  label: Schema.String,
  /** Where it is. */
  status: ProjectStatus,
  /** The id of the user who made it. */
  createdBy: Schema.String,
  /** When it was made. */
  createdAt: Timestamp,
  /** When it moved last. */
  updatedAt: Timestamp,
  /** When what an archived one left behind was cleared away; null until then. */
  cleanedAt: Schema.NullOr(Timestamp)
}).pipe(withWireNames(projectNames))
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
