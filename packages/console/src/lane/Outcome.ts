/** What became of an entry, in words. Pure. */
import type { Entry } from "./EntryState.tsx"

type Code = NonNullable<Entry["outcome"]>["code"]

const words: Readonly<Record<Code, string>> = {
  landed: "It landed",
  checks_failed: "A required check failed while it stood first",
  checks_could_not_run: "A required check could not run while it stood first",
  not_mergeable: "It does not merge with what is canonical",
  withdrawn: "Somebody took it out",
  approval_rejected: "An approver refused it",
  change_cancelled: "Its Change was cancelled",
  change_closed: "Its Change was promoted past the lane",
  archived: "The Project was archived",
  lane_off: "The lane was switched off",
  new_work: "Its Change has newer work: it is to enter anew"
}

/** One sentence; with the generation where it landed. */
export const outcomeWords = (outcome: NonNullable<Entry["outcome"]>): string =>
  outcome.generation === undefined ? `${words[outcome.code]}.` : `${words[outcome.code]} as S${outcome.generation}.`
