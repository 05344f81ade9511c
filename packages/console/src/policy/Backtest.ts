/** What a draft would have done, in words. Pure. */
import type { Answer } from "../api/Wire.ts"

/** One Change, as a draft was tried on it. */
export type TriedChange = Answer<"policies", "backtest">["items"][number]

/** Each kind of difference in a word or two. */
export const differenceWords: Readonly<Record<TriedChange["differences"][number]["code"], string>> = {
  approvals: "other approvals",
  checks: "other checks",
  blocked: "been blocked",
  not_blocked: "not been blocked",
  auto_promoted: "gone out by itself",
  not_auto_promoted: "waited for a person"
}

/** Those of which there is something to say. */
export const touched = (items: ReadonlyArray<TriedChange>): ReadonlyArray<TriedChange> =>
  items.filter(({ differences, unsure }) => differences.length > 0 || unsure.length > 0)

/** How many Changes were looked at, and for how many of them it makes a difference. */
export const summaryOf = (items: ReadonlyArray<TriedChange>): string => {
  const judged = items.filter(({ candidateId }) => candidateId !== null)
  const others = items.length - judged.length
  const left = others === 0 ? "" : ` ${others} had no Candidate that was checked.`
  if (judged.length === 0) return `No Change was checked yet: there is nothing to try it on.${left}`
  const changed = judged.filter(({ differences }) => differences.length > 0).length
  const of = `${judged.length} ${judged.length === 1 ? "Change" : "Changes"}`
  return `${changed === 0 ? `It would have changed nothing for ${of}.` : `It would have changed something for ${changed} of ${of}.`}${left}`
}
