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
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Waiting } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { Candidate } from "../model/Candidate.ts"
import { newCandidate, verification } from "./Candidates.ts"
import { candidateIdOf } from "./Composition.ts"

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

const recomposing = Effect.fnUntraced(function* (staleId: string) {
  const nothing = { answer: null }
  const stale = yield* demand("candidate", staleId)
  const change = yield* demand("change", stale.record.changeId)
  const wanted = wants(change.record)
  if (wanted === null)
    return yield* Effect.fail(new Waiting("another Candidate of the Change is being promoted", Limits.commandBackoffMs))
  if (stale.record.status !== "stale" || !wanted) return nothing
  const { lineage, recomposition, changeSets, projectId } = stale.record
  const line = yield* (yield* Records).list("candidate", { where: { lineage }, limit: "all" })
  if (line.items.some((each) => each.record.recomposition > recomposition)) return nothing
  const head = yield* demand("head", projectId)
  if (recomposition >= Limits.recompositions) return { answer: null, commit: givenUp(stale, change, yield* Time.now) }
  const base = { generation: head.record.generation, tree: head.record.tree }
  const id = yield* candidateIdOf({ project: projectId, base, changeSets, attempt: 1 })
  // Somebody asked for the very composition meanwhile: that one is it.
  if ((yield* find("candidate", id)) !== null) return nothing
  const now = yield* Time.now
  const candidate: Candidate = {
    ...newCandidate({ id, attempt: 1, head: head.record, changeSets, changeId: change.record.id, now }),
    lineage,
    recomposition: recomposition + 1
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
