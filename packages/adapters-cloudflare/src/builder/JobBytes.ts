/** What the files of a job weigh in a message to another script. */
import type { BuildJob } from "@pawl/core/bundle/AppBuilder"

/** The bytes of some files, with their paths. */
export const bytesOf = (files: BuildJob["files"]): number => {
  let bytes = 0
  for (const [path, { content }] of files) bytes += 2 * path.length + content.byteLength
  return bytes
}
