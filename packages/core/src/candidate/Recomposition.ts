/**
 * Recomposition: a stale Candidate is never retried blind. A new one of the same ChangeSets takes its place on the new
 * base, with a real merge and full checks, at most 2 times per lineage; then the lineage is blocked (specification,
 * "Candidate status"). Whatever makes a Candidate stale sends the command in the same commit.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
import { isClosed } from "../change/Changes.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Waiting } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { Candidate } from "../model/Candidate.ts"
import { hasFailedOnPrediction } from "./Base.ts"
import { newCandidate, newestAttempt, verification } from "./Candidates.ts"
import { recompositionAfter } from "./Staleness.ts"

const actor = system("recomposition")

/** The body of `candidate.recompose`. Repeating it changes nothing: a lineage goes on once from each stale Candidate. */
export const recompose = (staleId: string) =>
  decideAndCommit(recomposing(staleId)).pipe(
    Effect.withSpan("Recomposition.recompose", { attributes: { candidateId: staleId } })
  )

/** Whether the Change still wants its Candidates; null while a promotion decides that. */
const wants = (change: Change): boolean | null => {
  if (change.status === "promoting") return null
  return !isClosed(change.status) && change.status !== "releasing" && change.kind !== "rollback"
}

/** Whether it may go out no more through no fault of its own. What failed on a prediction goes on outside the lane alone. */
const isLost = (candidate: Candidate) =>
  candidate.status === "stale" ? Effect.succeed(true) : hasFailedOnPrediction(candidate)

const recomposing = Effect.fnUntraced(function* (staleId: string) {
  const nothing = { answer: null }
  const stale = yield* demand("candidate", staleId)
  const change = yield* demand("change", stale.record.changeId)
  const wanted = wants(change.record)
  if (wanted === null)
    return yield* Effect.fail(new Waiting("another Candidate of the Change is being promoted", Limits.commandBackoffMs))
  if (!wanted || !(yield* isLost(stale.record))) return nothing
  const { lineage, changeSets, projectId } = stale.record
  const line = yield* (yield* Records).list("candidate", { where: { lineage }, limit: "all" })
  // Another has taken its place already.
  if (line.items.at(-1)?.record.id !== stale.record.id) return nothing
  const head = yield* demand("head", projectId)
  const charged = recompositionAfter(stale.record, head.record)
  if (charged > Limits.recompositions) return { answer: null, commit: givenUp(stale, change, yield* Time.now) }
  const base = { generation: head.record.generation, tree: head.record.tree }
  const composition = { project: projectId, base, changeSets }
  const {
    attempt,
    candidate: there,
    id
  } = yield* newestAttempt(composition, {
    baseCommit: head.record.commit,
    passes: () => false
  })
  // Somebody asked for the very composition meanwhile: that one is it.
  if (there !== null) return nothing
  const now = yield* Time.now
  const candidate: Candidate = {
    ...newCandidate({ id, attempt, head: head.record, changeSets, changeId: change.record.id, now }),
    lineage,
    recomposition: charged
  }
  const draft = Draft.begin(projectId, system("Recomposition.recompose"), now)
  // A head that moves on while this is decided would make the new one stale at birth.
  Draft.expect(draft, Commit.unchanged("head", projectId, head))
  Draft.update(draft, "change", change, { updatedAt: now })
  Draft.insert(draft, "candidate", candidate)
  Draft.send(draft, verification(candidate, actor))
  return { answer: candidate, commit: Draft.end(draft, { name: "Recomposition.recompose" }) }
})

const givenUp = (
  stale: Commit.Stored<Candidate>,
  change: Commit.Stored<Change>,
  now: Time.Timestamp
): Commit.Commit => {
  const { changeId, lineage, projectId } = stale.record
  const draft = Draft.begin(projectId, actor, now)
  const reason = `recomposed ${Limits.recompositions} times, and canonical moved on each time`
  const blocked = { "candidate.blocked": { changeId, lineage, reason } }
  Draft.step(draft, "candidate", stale, "recompositionsExhausted", { reason }, blocked)
  Draft.update(draft, "change", change, { updatedAt: now })
  return Draft.end(draft, { name: "Recomposition.exhausted" })
}
