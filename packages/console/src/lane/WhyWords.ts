/** Why an entry stands where it stands, in words. Pure. */
import type { Answer } from "../api/Wire.ts"
import { duration } from "../ui/Amounts.ts"

/** Of one that waits in line. */
export type Why = NonNullable<Answer<"lane", "entry">["why"]>
/** What it waits for. */
export type Wait = NonNullable<Why["waits"]>

const waits: Readonly<Record<Wait["for"], string>> = {
  slot: "for a worker",
  ahead: "for one that stands before it",
  conflict: "until what it cannot be merged with has landed or left",
  approval: "for an approval",
  order: "for somebody to have it land",
  freeze: "for the end of a freeze",
  pause: "for the lane to go on",
  rollback: "for a rollback, which goes first",
  blocked: "because its promotion would be refused",
  budget: "for builds or sandbox time",
  dead_letter: "for a person: a command of it failed too often"
}

/** `waits for a worker`. */
export const waitWords = ({ for: what }: Pick<Wait, "for">): string => `waits ${waits[what]}`

/** When it is likely to land. What takes longer already than others took here has nothing left by them. */
export const expectedWords = ({ medianMs, p95Ms }: NonNullable<Why["expected"]>): string => {
  if (p95Ms === 0) return "It should have landed by now: hardly any took as long here."
  const mostly =
    medianMs === 0
      ? "It should have landed by now, as half of those before did"
      : `Likely to land in ${duration(medianMs)}`
  return `${mostly}; in 19 of 20 cases in ${duration(p95Ms)}.`
}
