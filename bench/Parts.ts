/** A benchmark of several parts, of which those run that make a figure that is asked for. */
import type { Bench, Measured, RunOptions } from "./Figure.ts"
import { withFolder } from "./parts/Folder.ts"

/** The figures that a part makes, and the part: it works in a folder of the benchmark. */
export type Part = readonly [
  figures: ReadonlyArray<string>,
  run: (folder: string, options: RunOptions) => Promise<Measured>
]

/** What several came to. */
export const together = (all: ReadonlyArray<Measured>): Measured => ({
  figures: all.flatMap(({ figures }) => figures),
  notes: all.flatMap(({ notes }) => notes)
})

/** One part after the other, each in the same folder. */
export const inParts =
  (parts: ReadonlyArray<Part>): Bench =>
  (options) =>
    withFolder(async (folder) => {
      const made: Array<Measured> = []
      for (const [figures, run] of parts) if (options.wants(...figures)) made.push(await run(folder, options))
      return together(made)
    })
