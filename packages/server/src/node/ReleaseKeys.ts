/**
 * Which keys the router of this machine believes. Those of `PAWL_TRUSTED_KEYS`, else the one that this machine signs with
 * and the first that its data folder saw: both lie beside the database, and whoever writes to that cannot change them. Keys
 * that came later count by the statements that introduce them, and end by them: how far these were seen lies there too, so
 * that no key comes back by what is deleted from the database.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Records } from "@pawl/core/ledger/Records"
import type { KnownKey } from "@pawl/core/provenance/KeyRules"
import { Signer } from "@pawl/core/provenance/Signer"
import { steadyMillisOf } from "@pawl/core/primitives/Time"
import { endedAsSeen, goesOn, type HistoryEntry, type SeenHistory, seenIn } from "@pawl/core/provenance/SeenHistory"
import { historyEntries, ReleaseTrust, trustedKeys } from "@pawl/core/provenance/TrustedKeys"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import type { Options } from "./Options.ts"
import { holdsAtOnce } from "./proof/NodeEngine.ts"
import { keepSeen, readSeen, seenPath } from "./SeenKeys.ts"

const fileName = "trusted-keys"

const readPinned = (data: string): ReadonlyArray<string> => {
  try {
    return readFileSync(join(data, fileName), "utf8").split(/\s+/).filter(Boolean)
  } catch {
    return []
  }
}

/** Kept once and never written again. */
const pin = (data: string, keyid: string): void => {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  writeFileSync(join(data, fileName), `${keyid}\n`, { mode: 0o600, flag: "wx" })
}

const introduced = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ predicate: Schema.Struct({ keyid: Schema.String, use: Schema.String }) }))
)

/** The id of the first key that the instance's chain introduces. */
const firstOf = (entries: ReadonlyArray<HistoryEntry>): string | undefined =>
  entries
    .flatMap((entry) => Option.toArray(introduced(entry?.payload)))
    .find(({ predicate }) => predicate.use === "statement")?.predicate.keyid

/** The key that this machine signs with: it is no part of the database. Null where it is away. */
const ownKey = Effect.flatMap(Signer, ({ keys }) => keys).pipe(
  Effect.map(({ statement }): KnownKey => ({ ...statement, use: "statement", ended: null })),
  Effect.catchTag("SignerUnavailable", () => Effect.succeed(null))
)

const pinnedOf = Effect.fnUntraced(function* (data: string, first: string | undefined) {
  const pinned = readPinned(data)
  if (pinned.length > 0 || first === undefined) return pinned
  yield* Effect.try({ try: () => pin(data, first), catch: (cause) => cause }).pipe(
    Effect.catch((cause) => Effect.logWarning("the first key could not be kept", cause))
  )
  return [first]
})

/** Keeps the first key of an installation where it was made, at once: it is copied to other machines with the keys. */
export const keepFirst = ({ data, trustedKeys: given }: Pick<Options, "data" | "trustedKeys">, keyid: string) =>
  given.length > 0 ? Effect.void : Effect.asVoid(pinnedOf(data, keyid))

/** The history of keys in the database is not the one that was seen before, or has holes: no key counts by it. */
class HistoryRefused extends Schema.TaggedError<HistoryRefused>()("HistoryRefused", {
  file: Schema.String,
  entries: Schema.Finite
}) {
  override get message() {
    return `The history of keys does not go on from what this machine saw of it before: entries are gone, or are others. It has ${this.entries} now. After a database was put back: pawl key epoch, or on a machine that only routes, delete ${this.file}.`
  }
}

/** Writes down how far the history was seen, where that is further than before. */
const remember = Effect.fnUntraced(function* (data: string, seen: SeenHistory, now: SeenHistory) {
  if (now.size <= seen.size) return
  yield* Effect.try({ try: () => keepSeen(data, now), catch: (cause) => cause }).pipe(
    Effect.catch((cause) => Effect.logWarning("how far the history of keys was seen could not be kept", cause))
  )
})

const readKeys = Effect.fnUntraced(function* ({ data, trustedKeys: given }: Pick<Options, "data" | "trustedKeys">) {
  const entries = yield* historyEntries
  const seen = yield* Effect.try({ try: () => readSeen(data), catch: (cause) => cause })
  const about = { file: seenPath(data), entries: entries.length }
  if (!goesOn(entries, seen)) return yield* new HistoryRefused(about)
  const own = given.length > 0 ? null : yield* ownKey
  const pinned = given.length > 0 ? given : yield* pinnedOf(data, firstOf(entries))
  const { known, signed } = yield* trustedKeys(new Set(own === null ? pinned : [...pinned, own.keyid]), entries)
  const keys = endedAsSeen(own === null || known.has(own.keyid) ? known : new Map([...known, [own.keyid, own]]), seen)
  const now = seenIn(entries, signed, keys)
  if (now === null) return yield* new HistoryRefused(about)
  yield* remember(data, seen, now)
  return keys
})

const sameKeys = (one: ReadonlyMap<string, KnownKey>, other: ReadonlyMap<string, KnownKey>): boolean =>
  JSON.stringify([...one]) === JSON.stringify([...other])

/**
 * Keys are read when one is met that is not known, and every `ServerLimits.trustedKeysMs`; not for each row. Where they
 * cannot be read, or the history is refused, those that were read before still count.
 */
export const layer = (options: Pick<Options, "data" | "trustedKeys" | "provenance">) =>
  Layer.effect(
    ReleaseTrust,
    Effect.gen(function* () {
      const ports = yield* Effect.context<Records | Signer>()
      const clock = yield* Clock.Clock
      let known: ReadonlyMap<string, KnownKey> = new Map()
      let state = Effect.succeed(known)
      let readAt = Number.NEGATIVE_INFINITY
      const read = Effect.suspend(() => {
        readAt = steadyMillisOf(clock)
        return readKeys(options)
      }).pipe(
        Effect.provideContext(ports),
        Effect.map((keys) => {
          if (sameKeys(keys, known)) return
          known = keys
          state = Effect.succeed(keys)
        }),
        Effect.catch((problem) => Effect.logWarning("the keys of statements cannot be read", problem))
      )
      const isOlder = (ms: number): boolean => steadyMillisOf(clock) - readAt > ms
      return {
        mode: options.provenance,
        holds: holdsAtOnce,
        state: () => (isOlder(ServerLimits.trustedKeysMs) ? Effect.map(read, () => known) : state),
        keyOf: (keyid) =>
          Effect.suspend(() => {
            const key = known.get(keyid) ?? null
            const isOld = isOlder(key === null ? ServerLimits.unknownKeyMs : ServerLimits.trustedKeysMs)
            return isOld ? Effect.map(read, () => known.get(keyid) ?? null) : Effect.succeed(key)
          })
      }
    })
  )
