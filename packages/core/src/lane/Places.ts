/** Where an entry is put that does not go to the end of the line. Places are numbers: one between two others is their mean. */
import type { LaneEntry } from "../model/LaneEntry.ts"
import { Limits } from "../primitives/Limits.ts"

/** What is looked at of an entry that stands in the line. */
export type Stood = Pick<LaneEntry, "id" | "place" | "passedBy" | "status">

/** The entries whose places change, and those that were passed. */
export interface Placed {
  /** The place of the one that is put somewhere. */
  readonly place: number
  /** Of others that must make room, their new places by id. Mostly empty. */
  readonly moved: ReadonlyMap<string, number>
  /** Ids of those that it was let before. */
  readonly passed: ReadonlyArray<string>
}

/**
 * Whether something of it runs, or came to something: who comes goes behind it. One that waits may have a Candidate, too:
 * it entered with that, or is to be made anew. Nothing of it is lost when another one goes before it.
 */
const hasBegun = ({ status }: Stood): boolean => status === "running" || status === "ready" || status === "doubtful"

/** Whether others may be let before it. */
const mayBePassed = (each: Stood): boolean => !hasBegun(each) && each.passedBy < Limits.lanePassedMax

/** The index at which an urgent entry is put: behind all that have begun, were passed too often, or are urgent themselves. */
export const urgentIndex = (line: ReadonlyArray<Stood & Pick<LaneEntry, "priority">>): number =>
  line.findLastIndex((each) => each.priority === "urgent" || !mayBePassed(each)) + 1

/**
 * The index at which one is put that is to stand at another, whatever has begun there: behind those before which others
 * were let as often as may be. Those that came after `came` it does not pass.
 */
export const passingIndex = (line: ReadonlyArray<Stood>, index: number, came = Number.POSITIVE_INFINITY): number =>
  Math.max(index, line.findLastIndex((each) => each.place < came && each.passedBy >= Limits.lanePassedMax) + 1)

/** The index at which one is put that comes back into the line: by its place, behind those that have begun. */
export const returnIndex = (line: ReadonlyArray<Stood>, place: number): number =>
  Math.max(line.findLastIndex(hasBegun) + 1, line.filter((each) => each.place < place).length)

/** Puts one at an index of the line, which does not hold it. `came` is where it stood, or its ticket when it is new. */
export const putAt = (line: ReadonlyArray<Stood>, index: number, came: number): Placed => {
  const passed = line.slice(index).flatMap((each) => (each.place < came ? [each.id] : []))
  const [before, after] = [line[index - 1]?.place, line[index]?.place]
  if (after === undefined) return { place: Math.max(came, (before ?? 0) + 1), moved: new Map(), passed }
  const place = before === undefined ? after - 1 : (before + after) / 2
  if (place < after && (before === undefined || place > before)) return { place, moved: new Map(), passed }
  // No number is left between the two: those behind move up.
  const shifted = line.slice(index).map((each, at): [string, number] => [each.id, after + at + 1])
  return { place: after, moved: new Map(shifted), passed }
}

/** What changes of another one for which one is put somewhere: it makes room, or was passed. */
export const roomFor = (placed: Placed, { id, passedBy, place }: Stood): Pick<Stood, "passedBy" | "place"> => ({
  place: placed.moved.get(id) ?? place,
  passedBy: passedBy + (placed.passed.includes(id) ? 1 : 0)
})
