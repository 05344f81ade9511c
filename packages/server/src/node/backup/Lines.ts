/** Lines of JSON in files of bounded size, and what they come to. */
import { Effect } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { type BackupUnusable, sha256 } from "./BackupFormat.ts"
import type { BackupPlace } from "./BackupPlace.ts"

/** Writes lines under a name, and tells the digest of each file. */
export interface LineFiles {
  readonly add: (line: unknown) => Effect.Effect<void, BackupUnusable>
  /** Writes what is left. */
  readonly end: Effect.Effect<void, BackupUnusable>
}

/** The name of the nth file of some lines, from 1. */
const fileName = (name: string, nth: number): string => `${name}/${String(nth).padStart(6, "0")}.ndjson`

/** Whether a file is one of these lines. */
export const isOf = (name: string, file: string): boolean => file.startsWith(`${name}/`) && file.endsWith(".ndjson")

/** Nothing is written yet. `files` is told of each file. */
export const lineFiles = (place: BackupPlace, name: string, files: Map<string, string>): LineFiles => {
  let [lines, length, written]: [Array<string>, number, number] = [[], 0, 0]
  const flush = Effect.suspend(() => {
    const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""))
    const file = fileName(name, ++written)
    ;[lines, length] = [[], 0]
    files.set(file, sha256(bytes))
    return place.put(file, bytes)
  })
  return {
    add: (line) =>
      Effect.suspend(() => {
        const text = JSON.stringify(line)
        lines.push(text)
        length += text.length
        return length >= ServerLimits.backupFileChars ? flush : Effect.void
      }),
    end: Effect.suspend(() => (lines.length === 0 ? Effect.void : flush))
  }
}
