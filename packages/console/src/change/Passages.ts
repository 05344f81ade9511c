/** Steps of lives, put together as they were committed. */
import type { Answer } from "../api/Wire.ts"

/** One step of one life. */
export type Step = Answer<"history", "ofChange">["items"][number]

/** All that one commit did. */
export interface Passage {
  readonly at: string
  /** Id of who did it. */
  readonly actor: string
  /** Its name: `Promotions.swap`. */
  readonly commit: string
  readonly steps: ReadonlyArray<Step>
}

/** In the order of the steps. What stands side by side with the same moment, name and actor was one commit. */
export const passagesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Passage> => {
  const passages: Array<Passage & { readonly steps: Array<Step> }> = []
  for (const step of steps) {
    const last = passages.at(-1)
    if (last !== undefined && last.at === step.at && last.commit === step.commit && last.actor === step.actor.id)
      last.steps.push(step)
    else passages.push({ at: step.at, actor: step.actor.id, commit: step.commit, steps: [step] })
  }
  return passages
}
