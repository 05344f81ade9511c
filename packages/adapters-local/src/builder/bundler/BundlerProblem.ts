/** How the parts of the builder state a problem. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"

/** Where in the source; what is not known is left out or null. */
export interface Place {
  readonly file?: string | null
  /** Counts from 1. */
  readonly line?: number | null
  /** Counts from 1, in UTF-8 bytes for problems of esbuild. */
  readonly column?: number | null
}

/** A problem of the build: a code for programs, a message for people, and the place. */
export const problem = (code: string, message: string, place: Place = {}): BuildProblem => ({
  code,
  message,
  file: place.file ?? null,
  line: place.line ?? null,
  column: place.column ?? null
})
