/**
 * The body of `lane.step`: reads a lane once, decides every step, and takes them in turn, by few commits. When anything
 * moved meanwhile all is read and decided anew. Repeating it changes nothing.
 */
import { Effect } from "effect"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { laneStep } from "../work/LaneWork.ts"
import { after, isOutOfMeans, planLane, type Together, together } from "./LanePlan.ts"
import { type LaneRows, readLane } from "./LaneReading.ts"
import { draftOf } from "./LaneWrites.ts"

/** Which entry a row is of, by its kind and key. Of a line as it was read: no step brings another row into it. */
const ownersOf = ({ entries }: LaneRows): ReadonlyMap<string, string> => {
  const owners = new Map<string, string>()
  for (const [id, { candidate, change }] of entries) {
    owners.set(Draft.placeOf("laneEntry", id), id)
    owners.set(Draft.placeOf("change", change.record.id), id)
    if (candidate !== null) owners.set(Draft.placeOf("candidate", candidate.record.id), id)
  }
  return owners
}

/** The rows as a draft that was committed leaves them. A line is long and a step writes few of them. */
const renewed = (rows: LaneRows, owners: ReadonlyMap<string, string>, draft: Draft.Draft): LaneRows => {
  const entries = new Map(rows.entries)
  for (const place of draft.written.keys()) {
    const id = owners.get(place)
    const before = id === undefined ? undefined : entries.get(id)
    if (id === undefined || before === undefined) continue
    const { candidate, change, entry } = before
    entries.set(id, {
      entry: Draft.newest(draft, "laneEntry", entry),
      change: Draft.newest(draft, "change", change),
      candidate: candidate === null ? null : Draft.newest(draft, "candidate", candidate)
    })
  }
  return { ...rows, lane: Draft.newest(draft, "lane", rows.lane), entries }
}

const nameOf = ([step, ...more]: Together): string =>
  more.length > 0 ? "Lane.steps" : `Lane.${step._tag.toLowerCase()}`

/** Looks again with the next hour: a new day, or a new month, begins with one, and others may take less of theirs. */
const lookLater = Effect.fnUntraced(function* (projectId: string) {
  const delayMs = Limits.laneMeansLookMs - ((yield* Time.nowMillis) % Limits.laneMeansLookMs)
  const commands = [{ ...laneStep(projectId), delayMs }]
  yield* (yield* Ledger).commit({ name: "Lane.lookLater", projectId, commands })
})

const stepping = Effect.fnUntraced(function* (projectId: string) {
  const read = yield* readLane(projectId)
  if (read === null) return { answer: 0 }
  const steps = planLane(read.reading)
  const groups = together(steps)
  // Mostly one commit takes all of them: then nobody asks for the rows as it leaves them.
  const owners = groups.length > 1 ? ownersOf(read) : null
  let rows: LaneRows = read
  for (const group of groups) {
    const draft = yield* draftOf(rows, group)
    yield* (yield* Ledger).commit(Draft.end(draft, { name: nameOf(group) }))
    if (owners !== null) rows = renewed(rows, owners, draft)
  }
  if (isOutOfMeans(steps.reduce(after, read.reading))) yield* lookLater(projectId)
  return { answer: steps.length }
})

/** Takes a Project's lane as far as it goes now, and answers how many steps that took. */
export const step = (projectId: string) =>
  decideAndCommit(stepping(projectId)).pipe(Effect.withSpan("Lane.step", { attributes: { projectId } }))
