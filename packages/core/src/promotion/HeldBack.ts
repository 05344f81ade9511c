/**
 * An entry of the lane that stood ready, and whose promotion was refused for something that the lane itself does not look
 * at. It does not stand there without a word: what can be made good is, and of all else the entry says what it waits for.
 */
import { Effect } from "effect"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import type { LaneStep } from "../lane/LanePlan.ts"
import { readLane } from "../lane/LaneReading.ts"
import { draftOf } from "../lane/LaneWrites.ts"
import type { LaneEntry } from "../model/LaneEntry.ts"
import { system } from "../model/Actor.ts"
import * as Time from "../primitives/Time.ts"
import { short } from "../primitives/ShortText.ts"
import { laneStep } from "../work/LaneWork.ts"
import type { Block } from "./Canonical.ts"

type Told = ReadonlyArray<{ readonly code: string; readonly detail: string }>

/**
 * Pure: what the lane does with an entry that is refused for these; null where nobody but a person can do anything. Checks
 * that do not hold any more are judged again where it stands, a commit that is gone is made anew, and decisions that no
 * longer count are owed again.
 */
export const stepFor = (entry: LaneEntry, blocks: Told): LaneStep | null => {
  const has = (code: Block["code"]) => blocks.some((block) => block.code === code)
  if (has("composed_commit_missing"))
    return { _tag: "Refute", entry, reason: "what was composed of it is gone", counts: true, gone: true }
  if (has("approval_missing")) return { _tag: "Aside", entry }
  // A freeze ends by itself, and then nobody may look at it: what does not hold is judged again now.
  const lasting = blocks.filter(({ code }) => code !== "frozen")
  return lasting.length > 0 && lasting.every(({ code }) => code === "check_gap") ? { _tag: "Replan", entry } : null
}

/** Why it waits, for people. */
export const reasonOf = (blocks: Told): string =>
  short(blocks.map(({ code, detail }) => `${code}: ${detail}`).join("; "))

/** What the lane makes of the refusal of a Candidate's promotion. Of one that does not stand ready there nothing. */
export const heldBack = (candidateId: string, blocks: Told) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { changeId, projectId } = (yield* demand("candidate", candidateId)).record
      const { laneEntryId = null } = (yield* demand("change", changeId)).record
      if (laneEntryId === null) return { answer: undefined }
      const rows = yield* readLane(projectId)
      const own = rows?.entries.get(laneEntryId)
      if (rows === null || own === undefined || own.candidate?.record.id !== candidateId) return { answer: undefined }
      const { candidate, entry } = own
      if (entry.record.status !== "ready" || candidate.record.status !== "verified") return { answer: undefined }
      const step = stepFor(entry.record, blocks)
      if (step !== null) {
        const draft = yield* draftOf(rows, [step])
        Draft.send(draft, laneStep(projectId))
        return { answer: undefined, commit: Draft.end(draft, { name: `Lane.${step._tag.toLowerCase()}` }) }
      }
      const reason = reasonOf(blocks)
      if (entry.record.reason === reason) return { answer: undefined }
      const draft = Draft.begin(projectId, system("lane"), yield* Time.now)
      Draft.update(draft, "laneEntry", entry, { reason, updatedAt: draft.now })
      return { answer: undefined, commit: Draft.end(draft, { name: "Lane.heldBack" }) }
    })
  ).pipe(Effect.withSpan("Lane.heldBack", { attributes: { candidateId } }))
