/**
 * Which keys count, told by the instance's chain from the keys that somebody has pinned: each later key must be introduced
 * by a statement that a key has signed which counts already. What else stands in the store makes no key count.
 */
import { Context, Effect, Option, Schema } from "effect"
import { find } from "../ledger/Decision.ts"
import { KeyUse } from "../model/SigningKey.ts"
import { type StatementKind, statementKey } from "../model/Statement.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import type { ProvenanceMode } from "../primitives/Settings.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { preAuthentication } from "./Envelope.ts"
import { introduced, type KnownKey, maySignHistory } from "./KeyRules.ts"
import { predicateType } from "./Predicates.ts"
import { type Holds, publicKeyOf, verifies } from "./PublicKeys.ts"
import type { HistoryEntry } from "./SeenHistory.ts"

const introduction = Schema.fromJsonString(
  Schema.Struct({
    predicateType: Schema.Literal(predicateType("key")),
    predicate: Schema.Struct({
      keyid: Schema.String,
      spki: Schema.String,
      use: KeyUse,
      retires: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            keyid: Schema.String,
            revoked: Schema.optionalKey(Schema.Literal(true)),
            heads: Schema.Record(Schema.String, Schema.Finite)
          })
        )
      )
    })
  })
)
const readIntroduction = Schema.decodeUnknownOption(introduction)

/** Whether a key has signed this entry that counts so far. */
const isSigned = Effect.fnUntraced(function* (
  { payload, signature }: NonNullable<HistoryEntry>,
  kind: StatementKind,
  known: ReadonlyMap<string, KnownKey>
) {
  const by = signature === null ? undefined : known.get(signature.keyid)
  const sig = signature === null ? null : base64Bytes(signature.sig)
  if (by === undefined || sig === null || !maySignHistory(by, kind)) return false
  return yield* verifies(by, preAuthentication(utf8(payload)), sig)
})

/** What an entry says of a key; null for one that is about none. What else its row says nobody has signed. */
const introductionIn = ({ payload }: NonNullable<HistoryEntry>) => {
  const said = Option.getOrNull(readIntroduction(payload))?.predicate
  const key = said === undefined ? null : publicKeyOf(said.spki)
  return said === undefined || key?.keyid !== said.keyid ? null : { said, key }
}

/**
 * The keys that count, by their ids, and how many entries there are up to the last that one of them has signed. `entries`
 * are those of the instance's chain, in order.
 */
export const trustedKeys = Effect.fnUntraced(function* (
  pinned: ReadonlySet<string>,
  entries: ReadonlyArray<HistoryEntry>
) {
  const known = new Map<string, KnownKey>()
  let signed = 0
  for (const [at, entry] of entries.entries()) {
    if (entry === null) continue
    const of = introductionIn(entry)
    const isGood = yield* isSigned(entry, of === null ? "approver" : "key", known)
    if (of !== null && isGood) introduced(known, of.key, of.said)
    else if (of !== null && pinned.has(of.key.keyid)) introduced(known, of.key, { use: of.said.use })
    // The first key introduces itself.
    if (isGood || (of !== null && (yield* isSigned(entry, "key", known)))) signed = at + 1
  }
  return { known: known as ReadonlyMap<string, KnownKey>, signed }
})

/** The entries of the instance's chain as they are stored, in order, as far as the chain says that it goes. */
export const historyEntries = Effect.gen(function* () {
  const size = (yield* find("chain", "instance"))?.record.size ?? 0
  const entries = Array.from({ length: size }, (_, entry) => statementKey("instance", entry))
  const found = yield* Effect.forEach(entries, (key) => find("statement", key), {
    concurrency: Limits.statementReadsAtOnce
  })
  return found.map((each): HistoryEntry => each?.record ?? null)
})

/** How strictly statements of releases are looked at, and by which keys. */
export interface ReleaseTrustShape {
  readonly mode: ProvenanceMode
  /** The key of an id, when it counts. It never fails: a key that cannot be read now does not count now. */
  readonly keyOf: (keyid: string) => Effect.Effect<KnownKey | null>
  /**
   * What the keys have come to by now: another object as soon as they are others. What was found of a row under one is found
   * anew under the next. Known already, the effect has succeeded. Without it they never change.
   */
  readonly state?: () => Effect.Effect<object>
  /** For a host that has a faster way than Web Crypto, which answers from another thread. */
  readonly holds?: Holds
}

/** Without one of its own a program does not look. */
export const ReleaseTrust = Context.Reference("@pawl/core/provenance/TrustedKeys/ReleaseTrust", {
  defaultValue: (): ReleaseTrustShape => ({ mode: "off", keyOf: () => Effect.succeed(null) })
})
