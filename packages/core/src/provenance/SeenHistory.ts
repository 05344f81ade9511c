/**
 * What a router remembers of the history of keys, outside the database: whoever writes to that can cut off or change the
 * entry that ended a key, but not have it forgotten.
 */
import { Schema } from "effect"
import type { Statement } from "../model/Statement.ts"
import { sha256AtOnce } from "../primitives/Digest.ts"
import { isShaped } from "../primitives/PlainJson.ts"
import { jsonOf } from "../primitives/StrictJson.ts"
import { type KnownKey, narrowed } from "./KeyRules.ts"

/** How far the history was seen, and what had ended by then. */
export const SeenHistory = Schema.Struct({
  /** Entries up to the last one that a key has signed which counts: what nobody has signed may still be told anew. */
  size: Schema.Finite,
  /** The SHA-256 of that entry's payload; null of none. */
  digest: Schema.NullOr(Schema.String),
  /** Keys that had ended, and how far each may have signed. */
  ended: Schema.Array(
    Schema.Struct({
      keyid: Schema.String,
      revoked: Schema.Boolean,
      heads: Schema.Record(Schema.String, Schema.Finite)
    })
  )
})
export interface SeenHistory extends Schema.Schema.Type<typeof SeenHistory> {}

/** Before the first look. */
export const nothingSeen: SeenHistory = { size: 0, digest: null, ended: [] }

/** An entry of the instance's chain; null for one that is not there. */
export type HistoryEntry = Pick<Statement, "payload" | "signature"> | null

const isLink = isShaped(
  Schema.Struct({
    predicate: Schema.Struct({ previous: Schema.NullOr(Schema.Struct({ sha256: Schema.String })) })
  })
)

/** The digest of the last of the first entries, which are all there and follow each other; undefined where they do not. */
const digestAt = (entries: ReadonlyArray<HistoryEntry>, size: number): string | null | undefined => {
  let digest: string | null = null
  for (let at = 0; at < size; at++) {
    const payload = entries[at]?.payload
    const said = payload === undefined ? null : jsonOf(payload)
    if (payload === undefined || !isLink(said) || (said.predicate.previous?.sha256 ?? null) !== digest) return undefined
    digest = sha256AtOnce(payload)
  }
  return digest
}

/** Whether all entries are there, and each follows the one before it. */
export const isLinked = (entries: ReadonlyArray<HistoryEntry>): boolean =>
  digestAt(entries, entries.length) !== undefined

/** Whether these entries go on from what was seen: none of it is gone, and none is another. */
export const goesOn = (entries: ReadonlyArray<HistoryEntry>, { digest, size }: SeenHistory): boolean =>
  digestAt(entries, size) === digest

/** What is remembered of a history of which `signed` entries count; null where these do not follow each other. */
export const seenIn = (
  entries: ReadonlyArray<HistoryEntry>,
  signed: number,
  keys: ReadonlyMap<string, KnownKey>
): SeenHistory | null => {
  const digest = digestAt(entries, signed)
  if (digest === undefined) return null
  const ended = [...keys.values()].flatMap((key) =>
    key.ended === null ? [] : [{ keyid: key.keyid, revoked: key.ended.revoked, heads: key.ended.heads }]
  )
  return { size: signed, digest, ended }
}

/** Keys, of which those that were once seen ended have ended, and may have signed no more than was said then. */
export const endedAsSeen = (
  keys: ReadonlyMap<string, KnownKey>,
  { ended }: SeenHistory
): ReadonlyMap<string, KnownKey> => {
  const all = new Map(keys)
  for (const { heads, keyid, revoked } of ended) {
    const key = all.get(keyid)
    if (key !== undefined) all.set(keyid, { ...key, ended: narrowed(key.ended, { revoked, heads }) })
  }
  return all
}
