/** How a generation came to be, in words. */
import type { Change, Version } from "./GenerationQueries.ts"

const words: Readonly<Record<string, string>> = {
  seed: "First source",
  user: "Promoted",
  auto: "By Policy",
  rollback: "Rollback"
}

/** Two words at most. */
export const triggerWords = (trigger: string): string => words[trigger] ?? trigger

/** What a generation is: the goal of its Change where that is known, else what its record says. */
export const whatOf = ({ changeId, trigger }: Version, change: Change | undefined): string => {
  if (change?.rollbackTarget !== undefined) return `Back to S${change.rollbackTarget}`
  if (change !== undefined) return change.goal
  if (changeId === null) return "The first source"
  return trigger === "rollback" ? "A rollback" : `Change ${changeId.slice(0, 12)}`
}
