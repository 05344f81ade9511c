/** How the parts of the builder state a problem. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"

export interface Place {
  readonly file?: string | null
  /** Counts from 1. */
  readonly line?: number | null
  /** Counts from 1, in UTF-8 bytes for problems of esbuild. */
  readonly column?: number | null
}

export const problem = (code: string, message: string, place: Place = {}): BuildProblem => ({
  code,
  message,
  file: place.file ?? null,
  line: place.line ?? null,
  column: place.column ?? null
})
