/** What the key history makes of a key, by one set of rules: for the router, and for who verifies all of it offline. */
import { Effect } from "effect"
import type { Signature, StatementKind } from "../model/Statement.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { handoverMessage, type PublicKey, verifies } from "./PublicKeys.ts"

/** What ended a key. */
export interface Ended {
  /** It was stolen. */
  readonly revoked: boolean
  /** How many entries of each chain it may have signed, of the log's key up to which size of a checkpoint; of a chain that is not named, none. */
  readonly heads: Readonly<Record<string, number>>
}

/** A key, as the history leaves it. */
export interface KnownKey extends PublicKey {
  /** One of `KeyUse`; what is another word counts for nothing. */
  readonly use: string
  /** Null while it signs. */
  readonly ended: Ended | null
}

/** A long list of heads stands in several entries. No later one allows more. */
export const narrowed = (before: Ended | null, { heads, revoked }: Ended): Ended => {
  const all = new Map(Object.entries(before?.heads ?? {}))
  for (const [chain, head] of Object.entries(heads)) all.set(chain, Math.min(head, all.get(chain) ?? head))
  return { revoked: revoked || (before?.revoked ?? false), heads: Object.fromEntries(all) }
}

/** What an entry of the history says of keys. */
export interface Introduction {
  readonly use: string
  readonly retires?: ReadonlyArray<Omit<Ended, "revoked"> & { readonly keyid: string; readonly revoked?: boolean }>
}

/** Adds a key, and ends those that it takes the place of. What ended stays ended: a key that comes back is another one. */
export const introduced = (keys: Map<string, KnownKey>, key: PublicKey, { retires = [], use }: Introduction): void => {
  if (!keys.has(key.keyid)) keys.set(key.keyid, { ...key, use, ended: null })
  for (const { heads, keyid, revoked = false } of retires) {
    const known = keys.get(keyid)
    if (known !== undefined) keys.set(keyid, { ...known, ended: narrowed(known.ended, { revoked, heads }) })
  }
}

/** Whether a key may sign an entry of the history: one for recovery introduces keys and nothing else. */
export const maySignHistory = ({ ended, use }: KnownKey, kind: StatementKind): boolean =>
  ended === null && (use === "statement" || (use === "recovery" && kind === "key"))

/** Whether one key of the log has handed over to another. */
export const isHandedOver = (
  before: KnownKey | undefined,
  handover: Signature | undefined,
  keyid: string
): Effect.Effect<boolean> => {
  const sig = handover === undefined ? null : base64Bytes(handover.sig)
  if (before === undefined || sig === null || handover?.keyid !== before.keyid) return Effect.succeed(false)
  return verifies(before, handoverMessage(keyid), sig)
}

/** Whether a key of the log may have made a checkpoint of this size of a chain's log. */
export const mayHaveMade = ({ ended }: KnownKey, chain: string, size: number): boolean =>
  ended === null || size <= (Object.hasOwn(ended.heads, chain) ? (ended.heads[chain] ?? 0) : 0)

/** Why a key that ended may not have signed this entry of a chain; null where it may. */
export const endedProblem = (
  { ended }: Pick<KnownKey, "ended">,
  chain: string,
  entry: number
): "key_revoked" | "key_retired" | null => {
  if (ended === null || entry < (Object.hasOwn(ended.heads, chain) ? (ended.heads[chain] ?? 0) : 0)) return null
  return ended.revoked ? "key_revoked" : "key_retired"
}
