/** The commits of the steps of the lane. Each expects the lane, the head, and the rows that it names, as they were read. */
import { Effect } from "effect"
import { landsAs } from "../candidate/AutoPromotion.ts"
import { checkedAgain } from "../candidate/Candidates.ts"
import { predict, predicted } from "../candidate/Predictions.ts"
import { hasOtherVerified } from "../candidate/Staleness.ts"
import { dispatchOf } from "../change/Changes.ts"
import * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import { system } from "../model/Actor.ts"
import { commandId } from "../model/Command.ts"
import { laneStep } from "../work/LaneWork.ts"
import * as Time from "../primitives/Time.ts"
import { culpritOf } from "./Culprit.ts"
import { departing, refuting } from "./LaneDepartures.ts"
import { makeRoom, reject, touchLane } from "./LaneEnds.ts"
import type { LaneStep, Together } from "./LanePlan.ts"
import type { EntryRows, LaneRows } from "./LaneReading.ts"

const actor = system("lane")

type StepOf<T extends LaneStep["_tag"]> = Extract<LaneStep, { readonly _tag: T }>

/** The rows of the entry that a step is about. */
const rowsOf = (rows: LaneRows, step: Exclude<LaneStep, { readonly _tag: "Hold" }>): EntryRows => {
  const found = rows.entries.get(step.entry.id)
  if (found === undefined) throw new Error(`${step.entry.id} was not read`)
  return found
}

/** What is decided of a Candidate stands while it is as it was read. */
const guardCandidate = (draft: Draft.Draft, { candidate }: EntryRows): void => {
  if (candidate !== null) Draft.expect(draft, Commit.unchanged("candidate", candidate.record.id, candidate))
}

const rejected = (draft: Draft.Draft, { lane }: LaneRows, own: EntryRows, step: StepOf<"Reject">): void => {
  guardCandidate(draft, own)
  reject(draft, { ...own, lane }, step.trigger, step)
  // Only now is anybody to mend it.
  if (own.change.record.planned === true) Draft.send(draft, dispatchOf(own.change.record.id))
}

const doubted = (draft: Draft.Draft, own: EntryRows, { reason }: StepOf<"Doubt">): void => {
  const { candidate, entry } = own
  if (candidate === null) return
  guardCandidate(draft, own)
  const { changeId } = entry.record
  const told = { "lane.doubted": { changeId, candidateId: candidate.record.id, reason } }
  Draft.step(draft, "laneEntry", entry, "checksFailed", { reason }, told)
}

const replanned = Effect.fnUntraced(function* (draft: Draft.Draft, { head, policy }: LaneRows, own: EntryRows) {
  const { candidate, change, entry } = own
  Draft.step(draft, "laneEntry", entry, "predictionRefuted", {})
  Draft.step(draft, "laneEntry", entry, "composed", { reason: null })
  if (candidate === null || candidate.record.status !== "verified") return
  Draft.expect(draft, Commit.unchanged("policy", policy.record.projectId, policy))
  const otherVerified = yield* hasOtherVerified(candidate.record, head.record)
  checkedAgain(draft, { candidate, change, otherVerified })
})

const refuted = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  rows: LaneRows,
  own: EntryRows,
  step: StepOf<"Refute">
) {
  guardCandidate(draft, own)
  const { counts, reason } = step
  const { candidate, entry } = own
  const predictions = entry.record.predictions + (counts ? 1 : 0)
  Draft.step(draft, "laneEntry", entry, "predictionRefuted", { predictions, reason })
  if (counts) yield* refuting(draft, { ...own, head: rows.head }, reason)
  const fell = yield* culpritOf(rows, own, step)
  if (candidate !== null && fell !== null) Draft.update(draft, "candidate", candidate, { fell })
})

const returned = (draft: Draft.Draft, rows: LaneRows, own: EntryRows, { placed }: StepOf<"Return">): void => {
  const { changeId, id, priority } = own.entry.record
  const passed = placed.passed.length
  Draft.step(draft, "laneEntry", own.entry, "decided", { place: placed.place })
  if (passed > 0) Draft.emit(draft, "lane.reordered", id, { changeId, passed, priority })
  makeRoom(
    draft,
    Array.from(rows.entries.values(), ({ entry }) => entry),
    placed
  )
}

const composed = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  { head, policy }: LaneRows,
  { candidate, change, entry }: EntryRows,
  { base, place }: StepOf<"Compose">
) {
  const { changeId, changeSets, enteredAt, projectId } = entry.record
  const { ahead, ...end } = base
  const asked = { changeId, changeSets, base: { ...end, projectId }, ahead, before: candidate?.record ?? null }
  const found = yield* predicted(asked, head.record)
  // In the order of the line: who stands before has waited longer.
  predict(draft, change, found, Time.toMillis(enteredAt) + place)
  Draft.expect(draft, Commit.unchanged("policy", policy.record.projectId, policy))
  Draft.step(draft, "laneEntry", entry, "composed", { candidateId: found.candidate.id, reason: null })
  // What was there may be through already.
  if (found.there !== null) Draft.send(draft, laneStep(projectId))
})

const landing = (draft: Draft.Draft, { lane, policy }: LaneRows, own: EntryRows): void => {
  const { candidate, entry } = own
  if (candidate === null) return
  guardCandidate(draft, own)
  Draft.expect(
    draft,
    Commit.unchanged("lane", lane.record.projectId, lane),
    Commit.unchanged("laneEntry", entry.record.id, entry),
    Commit.unchanged("policy", policy.record.projectId, policy)
  )
  const [candidateId, entryId] = [candidate.record.id, entry.record.id]
  // One of each entry: an order that waits for a thaw is not that of who enters the Change anew meanwhile.
  Draft.send(draft, {
    kind: "candidate.promote",
    id: commandId("candidate.promote", `${candidateId}/${entryId}`),
    payload: { candidateId, entryId, ...landsAs(entry.record) }
  })
}

const held = (draft: Draft.Draft, { head, lane }: LaneRows): void => {
  const { generation: heldAt, projectId } = head.record
  // Who paused it before looks at it anyway, and said why.
  if (lane.record.state === "paused") return touchLane(draft, lane, { heldAt })
  const reason = `a rollback became S${lane.record.rolledBackAt ?? heldAt}: the lane waits until somebody has looked`
  touchLane(draft, lane, { state: "paused", pausedBy: actor, reason, heldAt })
  Draft.emit(draft, "lane.paused", projectId, { reason })
}

/** Passing and standing aside are told by the Candidate. */
const moved = (draft: Draft.Draft, own: EntryRows, trigger: "checksPassed" | "decisionOwed"): void => {
  guardCandidate(draft, own)
  Draft.step(draft, "laneEntry", own.entry, trigger, { reason: null })
}

const taken = Effect.fnUntraced(function* (draft: Draft.Draft, rows: LaneRows, step: LaneStep) {
  if (step._tag === "Hold") return held(draft, rows)
  const own = rowsOf(rows, step)
  const { projectId } = rows.lane.record
  const touches = step._tag !== "Land" && step._tag !== "Leave" && step._tag !== "Reject"
  if (touches && Draft.writtenAs(draft, "lane", projectId) === undefined) touchLane(draft, rows.lane)
  switch (step._tag) {
    case "Leave":
      return yield* departing(draft, { ...own, lane: rows.lane, head: rows.head }, step.trigger, step.code)
    case "Pass":
      return moved(draft, own, "checksPassed")
    case "Aside":
      return moved(draft, own, "decisionOwed")
    case "Return":
      return returned(draft, rows, own, step)
    case "Replan":
      return yield* replanned(draft, rows, own)
    case "Doubt":
      return doubted(draft, own, step)
    case "Reject":
      return rejected(draft, rows, own, step)
    case "Land":
      return landing(draft, rows, own)
    case "Refute":
      return yield* refuted(draft, rows, own, step)
    case "Compose":
      return yield* composed(draft, rows, own, step)
  }
})

/** The draft of steps that are taken together, of rows as none of them has been taken yet. */
export const draftOf = Effect.fnUntraced(function* (rows: LaneRows, steps: Together) {
  const { projectId } = rows.head.record
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  Draft.expect(draft, Commit.unchanged("head", projectId, rows.head))
  for (const step of steps) yield* taken(draft, rows, step)
  return draft
})
