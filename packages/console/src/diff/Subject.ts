/** What a diff can be of: the Candidate that is looked at, and each ChangeSet of its Change. Pure. */
import { titleOf } from "../change/Next.ts"
import type { ChangeSet } from "../change/Records.ts"

/** One of them, by its id. */
export interface Subject {
  readonly id: string
  readonly kind: "candidate" | "changeset"
  readonly words: string
}

/** The Candidate first, then the ChangeSets, the newest first. `changeSets` are the oldest first. */
export const subjectsOf = (
  candidateId: string | null,
  changeSets: ReadonlyArray<Pick<ChangeSet, "id" | "message">>
): ReadonlyArray<Subject> => {
  const made = changeSets.map(({ id, message }, index): Subject => ({
    id,
    kind: "changeset",
    words: `ChangeSet ${index + 1}: ${titleOf(message)}`
  }))
  return [
    ...(candidateId === null ? [] : [{ id: candidateId, kind: "candidate" as const, words: "The Candidate" }]),
    ...made.toReversed()
  ]
}

/** The one that is wanted by its id; else the first. Null where there is none. */
export const subjectOf = (all: ReadonlyArray<Subject>, wanted: string | null): Subject | null =>
  all.find(({ id }) => id === wanted) ?? all[0] ?? null
