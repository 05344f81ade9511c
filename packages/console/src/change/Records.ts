/** What the API answers of a Change, by the names that its screens use. */
import type { Answer } from "../api/Wire.ts"

/** A Change. */
export type Change = Answer<"changes", "get">["change"]
/** A Candidate of it. */
export type Candidate = Answer<"candidates", "list">["items"][number]
/** A ChangeSet of it. */
export type ChangeSet = Answer<"changesets", "list">["items"][number]
/** Why a Candidate stands where it stands. */
export type Why = Answer<"candidates", "why">
/** What its Project asks of Candidates. */
export type Policy = Answer<"policies", "get">["policy"]
/** Who is signed in, with their roles and scopes. */
export type Me = Answer<"account", "me">
