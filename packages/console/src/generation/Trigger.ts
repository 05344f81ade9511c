/** How a generation came to be, in words. */
import type { Version } from "./GenerationQueries.ts"

const words: Readonly<Record<string, string>> = {
  seed: "First source",
  user: "Promoted",
  auto: "By Policy",
  rollback: "Rollback"
}

/** Two words at most. */
export const triggerWords = (trigger: string): string => words[trigger] ?? trigger

/** What a generation is: the goal of its Change, or what a rollback went back to. */
export const whatOf = ({ changeId, rollbackTarget, title }: Version): string => {
  if (rollbackTarget !== undefined) return `Back to S${rollbackTarget}`
  return title ?? (changeId === null ? "The first source" : `Change ${changeId.slice(0, 12)}`)
}
