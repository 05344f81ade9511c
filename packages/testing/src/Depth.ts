/**
 * How deep random, crash and interleaving suites go. Every suite runs at every depth; what differs is how much of it.
 * The runner provides one value, `pawlDepth` (`provide` in `vitest.config.ts`). Where it provides none, all is run.
 */
import { inject, TestRunner } from "vitest"
import { sliceOf } from "./Slices.ts"

/**
 * `quick` takes a slice of the places, kills and histories, and with each commit the next slice; `deep` takes all;
 * `long` goes further with what has no end, such as random histories.
 */
export type Depth = "quick" | "deep" | "long"

/** What the runner chose for this run. */
export interface Turn {
  readonly depth: Depth
  /** Where chance begins: a whole number, 0 or more. Its last digit is the slice of a quick run. */
  readonly seed: number
}

declare module "vitest" {
  interface ProvidedContext {
    readonly pawlDepth?: Turn
  }
  interface TaskMeta {
    /** It asked how deep to go while it ran, so at another depth it does something else. */
    pawlAsked?: true
  }
}

const turn: Turn = inject("pawlDepth") ?? { depth: "deep", seed: 0 }

/** Notes who asks: rows are chosen before a test runs, and each has a title; what a test itself asks for has none. */
const asked = (): void => {
  const test = TestRunner.getCurrentTest()
  if (test !== undefined) test.meta.pawlAsked = true
}

/** For a test that judges what the tests before it left behind: where those go deeper, it does something else. */
export const looksBack = asked

/** How deep this run goes. */
export const depth = turn.depth
/** Where chance begins in this run. */
export const seed = turn.seed

/** How many rounds of something random to run; of `long` as many as of `deep`, where nothing else is said. */
export const rounds = (counts: { readonly quick: number; readonly deep: number; readonly long?: number }): number => {
  asked()
  return counts[depth] ?? counts.deep
}

/** The whole list, or in a quick run about `quick` items of it, and with the next commit the next ones. */
export const slice = <A>(all: ReadonlyArray<A>, { quick }: { readonly quick: number }): ReadonlyArray<A> => {
  asked()
  return depth === "quick" ? sliceOf(all, quick, seed) : all
}

/** The numbers from 1 to `count`, or in a quick run a slice of them. */
export const numbers = (count: number, { quick }: { readonly quick: number }): ReadonlyArray<number> =>
  slice(
    Array.from({ length: count }, (_, index) => index + 1),
    { quick }
  )
