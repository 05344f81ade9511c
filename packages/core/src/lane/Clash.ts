/** With whose work a Candidate of the line could not be merged. */
import type { Candidate } from "../model/Candidate.ts"
import { type InLine, isUnderWay } from "./Line.ts"

/**
 * The one on whose work a Candidate made on `ahead` stands that writes a file it is in conflict about, the nearest of several:
 * told by what it was seen to have in common with others before it was composed. The one ahead itself where none is known to.
 */
export const clashing = <A extends InLine>(
  { conflicts, overlaps = [] }: Pick<Candidate, "conflicts" | "overlaps">,
  line: ReadonlyArray<A>,
  ahead: string | null
): A | undefined => {
  const under = line
    .slice(0, line.findIndex(({ candidate }) => candidate !== null && candidate.id === ahead) + 1)
    .filter(isUnderWay)
  const writes = ({ entry: { changeId } }: A) =>
    overlaps.some((each) => each.changeId === changeId && each.path !== null && conflicts.includes(each.path))
  return under.findLast(writes) ?? under.at(-1)
}
