/** Locks that were read lately, by their bytes: a Candidate's checks each ask for the same one. */
import { createHash } from "node:crypto"
import type { ManifestFiles, ReadLock } from "@pawl/core/packages/PackageStore"
import { LocalLimits } from "../LocalLimits.ts"

const digestOf = (files: ManifestFiles): string => {
  const hash = createHash("sha256")
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${JSON.stringify(name)} ${content.byteLength}\n`).update(content)
  return hash.digest("hex")
}

/** A reader that remembers: equal files are read once, and answered with the same object, as long as few came between. */
export const remembering = (read: (files: ManifestFiles) => ReadLock): ((files: ManifestFiles) => ReadLock) => {
  const known = new Map<string, ReadLock>()
  return (files) => {
    const digest = digestOf(files)
    const found = known.get(digest) ?? read(files)
    // What was asked for last is forgotten last.
    known.delete(digest)
    known.set(digest, found)
    for (const oldest of known.keys()) if (known.size > LocalLimits.locksKnown) known.delete(oldest)
    return found
  }
}

/** A function of an object that is asked once for each object that lives. */
export const once = <A extends object, B>(of: (value: A) => B): ((value: A) => B) => {
  const known = new WeakMap<A, B>()
  return (value) => {
    const found = known.get(value) ?? of(value)
    known.set(value, found)
    return found
  }
}
