/**
 * For whom a prediction fell: of whose Change what happened that has made a base untrue. Looked at when it falls, and only
 * told: nothing is decided by it.
 */
import { Effect } from "effect"
import { isBehind } from "../candidate/Staleness.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Candidate, FellCode, FellFor } from "../model/Candidate.ts"
import { generationKey } from "../model/Entities.ts"
import type { Head } from "../model/Generation.ts"
import type { LaneEntry, LaneOutcomeCode } from "../model/LaneEntry.ts"
import { clashing } from "./Clash.ts"
import type { LaneStep } from "./LanePlan.ts"
import type { EntryRows, LaneRows } from "./LaneReading.ts"
import { couldNotBeComposed, seen } from "./Line.ts"

type Refuting = Extract<LaneStep, { readonly _tag: "Refute" }>

/** What an end of the one ahead means for those made on it. With any other they end themselves. */
const byOutcome: Readonly<Partial<Record<LaneOutcomeCode, FellCode>>> = {
  checks_failed: "failed",
  checks_could_not_run: "failed",
  not_mergeable: "failed",
  withdrawn: "withdrawn",
  approval_rejected: "refused",
  change_cancelled: "cancelled",
  change_closed: "promoted_past",
  new_work: "new_work"
}

const by = (code: FellCode, { changeId, id }: Pick<Candidate, "changeId" | "id">): FellFor => ({
  code,
  changeId,
  candidateId: id
})

/** What became canonical in place of a base; null while nothing did. */
const inItsPlace = Effect.fnUntraced(function* ({ baseCommit, baseGeneration, projectId }: Candidate, head: Head) {
  for (const generation of [baseGeneration, baseGeneration + 1]) {
    if (generation > head.generation) return null
    const found = (yield* find("generation", generationKey(projectId, generation)))?.record
    if (found?.changeId == null || (generation === baseGeneration && found.commit === baseCommit)) continue
    const code = found.trigger === "rollback" ? "rolled_back" : "promoted_past"
    return {
      code,
      changeId: found.changeId,
      ...(found.candidateId === null ? {} : { candidateId: found.candidateId })
    } satisfies FellFor
  }
  return null
})

/** A Candidate of the line, as the steps before this one left it. */
const candidateOf = Effect.fnUntraced(function* (rows: LaneRows, id: string) {
  for (const { candidate } of rows.entries.values()) if (candidate?.record.id === id) return candidate.record
  return (yield* find("candidate", id))?.record ?? null
})

/** The newest entry of a Change: one of the line, which may have left it just now, or one that had ended before. */
const entryOf = Effect.fnUntraced(function* (rows: LaneRows, changeId: string) {
  for (const { entry } of rows.entries.values()) if (entry.record.changeId === changeId) return entry.record
  const { items } = yield* (yield* Records).list("laneEntry", { where: { changeId }, order: "newest", limit: 1 })
  return items[0]?.record ?? null
})

/** What is so of one that stands in the line with the very Candidate that another was made on. */
const standing = (rows: LaneRows, entry: LaneEntry, own: LaneEntry): FellCode | null => {
  const isRetried = rows.reading.line.some((member) => member.entry.id === entry.id && member.retried === true)
  if (entry.status === "doubtful") return "failed"
  if (entry.status === "aside") return "aside"
  if (entry.status === "waiting") return null
  if (isRetried) return "retried"
  return entry.place > own.place ? "moved" : null
}

/** For whom the Candidate of an entry falls that is refuted; null where nobody else has done anything. */
export const culpritOf = Effect.fnUntraced(function* (
  rows: LaneRows,
  own: EntryRows,
  { before, counts, gone }: Pick<Refuting, "before" | "counts" | "gone">
) {
  const candidate = own.candidate?.record
  if (candidate === undefined) return null
  if (gone === true) return by("gone", candidate)
  if (!counts && !couldNotBeComposed(seen(candidate))) return null
  const ahead = candidate.ahead === null ? null : yield* candidateOf(rows, candidate.ahead)
  if (!counts) {
    const other = clashing(candidate, rows.reading.line, candidate.ahead)?.candidate ?? null
    const clash = other === null ? ahead : yield* candidateOf(rows, other.id)
    return clash === null ? null : by("conflict", clash)
  }
  const past = isBehind(candidate, rows.head.record) ? yield* inItsPlace(candidate, rows.head.record) : null
  if (past !== null) return past
  const entry = ahead === null ? null : yield* entryOf(rows, ahead.changeId)
  if (ahead !== null && entry !== null) {
    const isThere = entry.outcome === null && entry.candidateId === ahead.id
    const code = isThere ? standing(rows, entry, own.entry.record) : null
    if (code !== null) return by(code, ahead)
  }
  const overtaking = before == null ? null : yield* candidateOf(rows, before)
  if (overtaking !== null) return by("overtaken", overtaking)
  if (ahead === null) return null
  // Who fell before it fell for somebody, too.
  if (ahead.fell !== undefined) return ahead.fell
  const outcome = entry?.outcome?.code
  return by((outcome === undefined ? undefined : byOutcome[outcome]) ?? "anew", ahead)
})
