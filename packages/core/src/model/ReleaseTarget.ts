/**
 * A release target: a worker that a build service builds from canonical `main` (specification, "Release target row").
 * One per Project, and of use in development only: there a Project has no app of its own.
 */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What an admin named, checked. */
export const ReleaseTarget = Schema.Struct({
  /** The Project, and the key. */
  projectId: ProjectId,
  /** The name of the worker at the build service; 1 to `Limits.releaseTargetNameLength` characters. */
  workerName: Schema.String,
  /** The build service's own id of the worker ("external script id"). */
  workerTag: Schema.String,
  /** Where the worker answers: scheme and host, no path. */
  url: Schema.String,
  /** The git repository that the build service watches: canonical `main` is pushed there. Absent: it watches another way. */
  remote: Schema.optionalKey(Schema.String),
  /** When a target was named first. */
  createdAt: Timestamp,
  /** When this one was set. */
  updatedAt: Timestamp
})
export interface ReleaseTarget extends Schema.Schema.Type<typeof ReleaseTarget> {}
