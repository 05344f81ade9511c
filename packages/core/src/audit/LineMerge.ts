/**
 * Whether a text can be read as the changes of two sides to a base, and nothing else. Merge programs pair repeated
 * lines in their own ways, so that one calls a conflict what another merges; this asks no program. It is the weaker
 * judge: a side that took a line out may also be read as one that wrote its lines anew. Pure.
 */
import { Limits } from "../primitives/Limits.ts"

/** A text that is said to be the merge of `ours` and `theirs` over `base`. */
export interface MergedTexts {
  readonly base: string
  readonly ours: string
  readonly theirs: string
  readonly result: string
}

/** How far each text has been read: base, ours, theirs, result. */
type At = readonly [b: number, o: number, t: number, r: number]

const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/**
 * Reads the four texts side by side. A line goes on in all four, or one side took it out, or one side put it in, or
 * both did. A side's line that goes on from the base is never taken for a new one: what a side took out stays out.
 * False also when no way was found within `Limits.auditLineSteps`.
 */
export const isMerge = (texts: MergedTexts): boolean => {
  const [base, ours, theirs, result] = [texts.base, texts.ours, texts.theirs, texts.result].map(linesOf) as [
    ReadonlyArray<string>,
    ReadonlyArray<string>,
    ReadonlyArray<string>,
    ReadonlyArray<string>
  ]
  const seen = new Set<string>()
  const waiting: Array<At> = [[0, 0, 0, 0]]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const [b, o, t, r] = at
    if (b === base.length && o === ours.length && t === theirs.length && r === result.length) return true
    const key = at.join()
    if (seen.has(key)) continue
    seen.add(key)
    if (seen.size > Limits.auditLineSteps) return false
    waiting.push(...stepsFrom(at, [base[b], ours[o], theirs[t], result[r]]))
  }
  return false
}

type Lines = readonly [string | undefined, string | undefined, string | undefined, string | undefined]

/** The next places, the likeliest last: that one is tried first. */
const stepsFrom = ([b, o, t, r]: At, [base, ours, theirs, result]: Lines): ReadonlyArray<At> => {
  const next: Array<At> = []
  const goesOn = (line: string | undefined) => base !== undefined && line === base
  if (base !== undefined && !goesOn(ours) && !goesOn(theirs)) next.push([b + 1, o, t, r])
  if (result !== undefined) {
    if (theirs === result && !goesOn(theirs)) next.push([b, o, t + 1, r + 1])
    if (ours === result && !goesOn(ours)) next.push([b, o + 1, t, r + 1])
    if (ours === result && theirs === result) next.push([b, o + 1, t + 1, r + 1])
  }
  if (goesOn(ours)) next.push([b + 1, o + 1, t, r])
  if (goesOn(theirs)) next.push([b + 1, o, t + 1, r])
  if (goesOn(ours) && goesOn(theirs) && result === base) next.push([b + 1, o + 1, t + 1, r + 1])
  return next
}
