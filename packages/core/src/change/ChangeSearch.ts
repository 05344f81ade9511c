/** The Changes of a Project that are of a kind, of a risk, of a person, or speak of something. */
import { Effect } from "effect"
import { Records } from "../ledger/Records.ts"
import { type Asked, search, speaking } from "../ledger/Search.ts"
import type { Change, ChangeKind, ChangeStatus, RiskTier } from "../model/Change.ts"

/** One of some values, or any one of several. */
type OneOf<A> = A | ReadonlyArray<A>

/** What is asked of Changes beside their status; what is given must all hold. */
export interface Wanted {
  readonly kind?: OneOf<ChangeKind>
  readonly riskTier?: OneOf<RiskTier>
  /** The id of who opened it. */
  readonly createdBy?: string
  /** Words that all stand in its goal, or the beginning of its id. */
  readonly q?: string
}

const isOneOf = <A extends string>(wanted: OneOf<A> | undefined, value: A): boolean =>
  wanted === undefined || (typeof wanted === "string" ? wanted === value : wanted.includes(value))

/** Whether a Change is what is wanted; null when nothing is. */
export const fitting = ({ createdBy, kind, q, riskTier }: Wanted): ((change: Change) => boolean) | null => {
  if ([createdBy, kind, q, riskTier].every((each) => each === undefined)) return null
  const speaks = speaking(q ?? "")
  return (change) =>
    isOneOf(kind, change.kind) &&
    isOneOf(riskTier, change.riskTier) &&
    (createdBy === undefined || change.createdBy.id === createdBy) &&
    speaks(change.goal, change.id)
}

/** Which Changes of a Project are asked for, and in which order of their opening. */
export interface ChangesAsked extends Wanted, Asked {
  readonly status?: OneOf<ChangeStatus>
  /** Default `newest`. */
  readonly order?: "newest" | "oldest"
}

/** A page of a Project's Changes that are `fitting`. Their status is asked of the store, all else is looked through. */
export const searchChanges = (projectId: string, fits: (change: Change) => boolean, asked: ChangesAsked) =>
  Effect.flatMap(Records, (records) => {
    const { order = "newest", status } = asked
    const listing = { projectId, order, ...(status === undefined ? {} : { where: { status } }) }
    return search(
      (page) =>
        Effect.map(records.list("change", { ...listing, ...page }), ({ items, ...rest }) => ({
          ...rest,
          items: items.map(({ record }) => record)
        })),
      fits,
      asked
    )
  })
