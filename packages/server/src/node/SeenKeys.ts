/**
 * What the router of this machine has seen of the history of keys: a file of the data folder, beside the database, which
 * whoever writes to that cannot change.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { readKey, replaceFile } from "@pawl/adapters-local/signing/KeyFiles"
import { nothingSeen, SeenHistory } from "@pawl/core/provenance/SeenHistory"
import { Schema } from "effect"

const asText = Schema.fromJsonString(SeenHistory)
const decode = Schema.decodeUnknownSync(asText)
const encode = Schema.encodeSync(asText)

/** The file. */
export const seenPath = (data: string): string => join(data, "key-history")

/** What was seen; nothing without the file. Throws where it cannot be read: what was seen is not known then. */
export const readSeen = (data: string): SeenHistory => {
  const text = readKey(seenPath(data))
  return text === null ? nothingSeen : decode(text)
}

/** Keeps it in the place of what was seen before. Throws where it cannot be written. */
export const keepSeen = (data: string, seen: SeenHistory): void => {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  replaceFile(seenPath(data), encode(seen))
}

/** Begins anew: the operator says that what was seen is lost. */
export const forgetSeen = (data: string): void => rmSync(seenPath(data), { force: true })
