/** What the tools read of the API's answers: the fields alone that they tell. */

/** A page of a list. */
export interface PageJson<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** A Project. */
export interface ProjectJson {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly label: string
  readonly status: string
}

/** A Change. */
export interface ChangeJson {
  readonly id: string
  readonly projectId: string
  readonly status: string
  readonly kind: string
  readonly riskTier: string
  readonly goal: string
  readonly createdBy: unknown
  readonly createdAt: string
  readonly updatedAt: string
}

/** A ChangeSet. */
export interface ChangeSetJson {
  readonly id: string
  readonly commit: string
  readonly files: ReadonlyArray<unknown>
  /** Where not all of its files are listed. */
  readonly cut?: { readonly filesTotal: number | null }
}

/** A Candidate. */
export interface CandidateJson {
  readonly id: string
  readonly changeId: string
  readonly status: string
  readonly reason: string | null
  readonly base_generation: number
  readonly tree: string | null
}

/** A Task. */
export interface TaskJson {
  readonly id: string
  readonly title: string
  readonly status: string
}

/** What one check left behind. */
export interface EvidenceJson {
  readonly id: string
  readonly checkId: string
  readonly result: string
  readonly summary: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly runner: { readonly isolation: string }
  readonly output?: string
}

/** The checks of what was pushed for a Task. */
export interface ChecksJson {
  readonly number: number
  readonly left: number
  readonly commit: string
  readonly state: "running" | "shown" | "dropped"
  readonly broken: string | null
  readonly results: ReadonlyArray<{
    readonly checkId: string
    readonly required: boolean
    readonly result: "pass" | "fail" | "gap"
    readonly summary: string
    readonly output: string
  }>
}

/** Why a Candidate is where it is. */
export interface WhyJson {
  readonly candidate: { readonly id: string; readonly status: string; readonly reason: string | null }
  readonly canPromote: boolean
  readonly blocks: ReadonlyArray<{ readonly code: string; readonly detail?: string }>
  readonly checks: ReadonlyArray<{
    readonly checkId: string
    readonly verdict: string
    readonly required: boolean
    readonly summary: string
    readonly output: string | null
  }>
  readonly approval: { readonly owed: boolean; readonly decision: string | null; readonly missing: number }
  readonly conflicts: ReadonlyArray<string>
  /** Where its Change stands in the lane; null for one that is not in it. */
  readonly lane: unknown
  readonly next: string
}

/** What there is to do, for whom has no hand in promotions. */
export const nextOf = ({ canPromote, lane, next }: Pick<WhyJson, "canPromote" | "lane" | "next">): string =>
  canPromote && lane === null ? "A person may promote it now: request_review says what to tell them." : next
