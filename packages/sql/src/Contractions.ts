/**
 * What the shape of a database loses: what only versions before the one that names it need. A step that was ever
 * published is never changed.
 */
import type { Step } from "./Expansions.ts"

/** Takes away what older versions need and this one does not. */
export interface Contraction {
  /** What goes, in words for the log. */
  readonly what: string
  readonly statements: Step
}

/** In their order; their places are their numbers. None yet: all that went did so before programs knew of each other. */
export const contractions: ReadonlyArray<Contraction> = []
