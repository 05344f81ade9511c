/**
 * The names under which answers are kept. What belongs to a Project lies below its name, and what belongs to a Change
 * below that: a name that becomes stale makes all below it stale.
 */

/** One name. */
export type Key = ReadonlyArray<string>

/** All names that more than one place uses. */
export const keys = {
  session: ["session"],
  wayIn: ["auth", "methods"],
  inbox: ["inbox"],
  projects: ["projects"],
  project: (id: string): Key => ["project", id],
  /** Something of a Project: `ofProject(id, "changes")`. */
  ofProject: (id: string, ...what: Key): Key => ["project", id, ...what],
  change: (id: string): Key => ["change", id],
  /** Something of a Change: `ofChange(id, "candidates")`. */
  ofChange: (id: string, ...what: Key): Key => ["change", id, ...what],
  candidate: (id: string): Key => ["candidate", id],
  ofCandidate: (id: string, ...what: Key): Key => ["candidate", id, ...what]
} as const
