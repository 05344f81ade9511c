/**
 * `dirHash`: what a tree's files are, by SHA-256. Git's ids are SHA-1, and agents choose contents. Modes are not part of
 * it: those the tree of git says.
 */
import { Effect } from "effect"
import { sha256, utf8 } from "../primitives/Digest.ts"

/** By the bytes of the paths: the order of `LC_ALL=C sort`. */
const byBytes = (one: Uint8Array, other: Uint8Array): number => {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return one[at]! - other[at]!
  return one.length - other.length
}

/** How many files are hashed at once: Web Crypto hashes on threads of its own, and the way there is longer than a file. */
const atOnce = 32

/** The SHA-256 over the lines `<sha256>  <path>\n` of all files, sorted by the bytes of their paths. */
export const dirHash = Effect.fnUntraced(function* (files: ReadonlyMap<string, { readonly content: Uint8Array }>) {
  const paths = Array.from(files.keys(), (path) => ({ path, bytes: utf8(path) }))
  paths.sort((a, b) => byBytes(a.bytes, b.bytes))
  const lines = yield* Effect.forEach(
    paths,
    ({ path }) => Effect.map(sha256(files.get(path)!.content), (digest) => `${digest}  ${path}\n`),
    { concurrency: atOnce }
  )
  return yield* sha256(lines.join(""))
})
