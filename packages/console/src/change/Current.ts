/** Which Candidate of a Change is looked at. */
import { isWorkedOn } from "../candidate/WorkedOn.ts"
import type { Candidate } from "./Records.ts"

/** Whether it can still be promoted. */
const isOpen = ({ status }: Candidate): boolean => isWorkedOn(status) || status === "verified"

/**
 * The one that is wanted by its id; else the one that was promoted, else the newest that can still be, else the newest.
 * `candidates` are oldest first; null where there is none.
 */
export const currentOf = (candidates: ReadonlyArray<Candidate>, wanted: string | null): Candidate | null =>
  candidates.find(({ id }) => id === wanted) ??
  candidates.findLast(({ status }) => status === "promoted") ??
  candidates.findLast(isOpen) ??
  candidates.at(-1) ??
  null

/** Whether something works on them now, and an answer is old soon. */
export const isUnderWay = (
  change: { readonly status: string; readonly laneEntryId?: string | null },
  candidate: Candidate | null
): boolean =>
  // An entry of the lane moves by itself, with a Candidate or before it has one.
  change.laneEntryId != null ||
  ["compiling", "running", "promoting", "releasing"].includes(change.status) ||
  (candidate !== null && isWorkedOn(candidate.status))
