/**
 * Unpacked archives in a folder, by their digest: each once, shared by all layers by hard links. It is written whole under
 * another name, then renamed; two who unpack the same are both right.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Option, Schema } from "effect"
import type { UnpackedPackage } from "./Tarball.ts"
import { UnpackedFacts } from "./UnpackedFacts.ts"

/** Where the files of a package lie below its unpacked folder. */
export const contentFolder = "package"
const factsFile = "facts.json"
/** Holds the bytes of the files, as digits: for who counts without reading all that is known. */
export const sizeFile = "size"

const decodeFacts = Schema.decodeUnknownOption(Schema.fromJsonString(UnpackedFacts))

/** What is known of an unpacked folder, which counts as used; null when there is none. */
export const factsIn = (folder: string): UnpackedFacts | null => {
  try {
    const now = new Date()
    const text = readFileSync(join(folder, factsFile), "utf8")
    utimesSync(join(folder, sizeFile), now, now)
    return Option.getOrNull(decodeFacts(text))
  } catch {
    return null
  }
}

/** Whether somebody else had put the same there first. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOTEMPTY")

/**
 * Writes an unpacked package to `folder`, by way of `temporary`, which is on the same disk and not there yet. Files have the
 * modes that npm gives them: tools copy packages into their output and write there. A sandbox mounts all of it read-only.
 * The files of programs may be run, whatever the archive says.
 */
export const writeUnpacked = (
  folder: string,
  temporary: string,
  { files }: UnpackedPackage,
  facts: UnpackedFacts
): void => {
  const runnable = new Set(facts.programs.map(({ target }) => target))
  const made = new Set<string>()
  for (const { content, executable, path } of files) {
    const place = join(temporary, contentFolder, path)
    const parent = dirname(place)
    if (!made.has(parent)) mkdirSync(parent, { recursive: true })
    made.add(parent)
    writeFileSync(place, content, { mode: executable || runnable.has(path) ? 0o755 : 0o644, flag: "wx" })
  }
  writeFileSync(join(temporary, factsFile), JSON.stringify(facts))
  writeFileSync(join(temporary, sizeFile), String(facts.bytes))
  mkdirSync(dirname(folder), { recursive: true })
  try {
    renameSync(temporary, folder)
  } catch (error) {
    if (!isTaken(error)) throw error
    rmSync(temporary, { recursive: true, force: true })
  }
}
