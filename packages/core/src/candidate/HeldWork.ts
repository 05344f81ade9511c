/** Whose work a Candidate of the lane holds beside its own: what was to land before it, and has not. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import { readOnce } from "../ledger/ReadOnce.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { ChangeId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"

const below = Effect.fnUntraced(function* (candidate: Candidate) {
  const held: Array<ChangeId> = []
  let { ahead } = candidate
  // A prediction is never deeper.
  while (ahead !== null && held.length < Limits.laneDepthMax) {
    const under = (yield* find("candidate", ahead))?.record
    if (under === undefined || under.status === "promoted") break
    held.push(under.changeId)
    ahead = under.ahead
  }
  return held
})

/** A Candidate as it is shown. `on` is not there where it holds its own work alone. */
export type Shown = Candidate & { readonly on?: ReadonlyArray<ChangeId> }

/**
 * Candidates with the Changes whose work each holds too and that have not landed: from the one that it was made on down to
 * canonical. Nothing is read for one that was made on canonical.
 */
export const withHeldWork = (candidates: ReadonlyArray<Candidate>) =>
  readOnce(
    Effect.forEach(candidates, (candidate) =>
      candidate.ahead === null
        ? Effect.succeed<Shown>(candidate)
        : Effect.map(below(candidate), (on): Shown => (on.length === 0 ? candidate : { ...candidate, on }))
    )
  )

/** The same of one. */
export const shown = (candidate: Candidate) =>
  Effect.map(withHeldWork([candidate]), ([found = candidate]): Shown => found)
