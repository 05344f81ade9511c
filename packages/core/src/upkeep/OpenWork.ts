/**
 * Ends what an archived Project left open, before anything of it is deleted: its open Changes are cancelled with their
 * Tasks and Candidates, and other Candidates that wait for nothing any more are stale. A releasing Change is left to its
 * release, which goes on and finds that there is nothing to release to.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import { markStale } from "../candidate/Staleness.ts"
import { cancel } from "../change/Cancellation.ts"
import { type Change, changeStatuses } from "../model/Change.ts"
import { isClosed } from "../change/Changes.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import { giveUp } from "../promotion/LostPromotion.ts"

const actor = system("archive")
const reason = "the Project was archived"

const openStatuses = changeStatuses.filter((status) => !isClosed(status) && status !== "releasing")

/** Ends a message's worth of what is open, and answers whether there may be more. Repeating it changes nothing. */
export const endOpenWork = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  const limit = Limits.changesPerCleanup
  const changes = yield* records.list("change", { projectId, where: { status: openStatuses }, limit })
  yield* Effect.forEach(changes.items, ({ record }) => endChange(record), { discard: true })
  if (changes.items.length === limit) return true
  // Their Changes have ended, or will, with another Candidate: these are behind what that one made canonical.
  const where = { status: ["composing", "verifying", "verified"] }
  const candidates = yield* records.list("candidate", { projectId, where, limit })
  const stale = yield* Effect.forEach(candidates.items, ({ record }) => markStale(record.id))
  return candidates.items.length === limit && stale.includes(true)
})

/** Nobody can ask for the promotion again that is given up here: an archived Project refuses it. */
const endChange = Effect.fnUntraced(function* (change: Change) {
  if (change.status === "promoting") {
    const promoted = change.promotingCandidateId ?? (yield* anyCandidate(change.id))
    if (promoted !== null) yield* giveUp(promoted)
  }
  yield* cancel(actor, change.id, reason)
})

/** A promotion that was asked for before Changes kept whose it is: any Candidate leads to the Change. */
const anyCandidate = (changeId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("candidate", { where: { changeId }, limit: 1 }), ({ items }) => items[0]?.record.id ?? null)
  )
