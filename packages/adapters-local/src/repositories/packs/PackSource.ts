/** The packs of repositories as they are kept: in rows, and in the object store where they are large. */
import { randomUUID } from "node:crypto"
import { Data, Effect } from "effect"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { type ObjectMissing, ObjectStore } from "@pawl/core/objects/ObjectStore"
import {
  type HeldPacks,
  type LoggedPack,
  type Pack,
  type PackedRepository,
  PackLog,
  type StandingRepository
} from "@pawl/core/project/PackLog"
import { RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../../LocalLimits.ts"
import { digestOf, isIndexOf, objectsOf, trailerOf } from "./PackBytes.ts"

/** The operation of what is away behind the copies: to begin anew with other copies changes nothing. */
export const awayOperation = "packs"

/** What cannot be had now for a reason that is not this machine's copy. */
export const away = (reason: string) => new RepositoriesUnavailable({ operation: awayOperation, reason })

/** A list named an object that is gone: the list is old. */
export class OldList extends Data.TaggedError("OldList")<{ readonly key: string }> {}

/** A pack with its bytes, and its index where that is kept too. */
export interface FetchedPack {
  readonly pack: Uint8Array
  readonly index: Uint8Array | null
}

/** The log and the bytes. All that is away is `RepositoriesUnavailable` of `awayOperation`. */
export interface PackSource {
  readonly log: {
    readonly standing: (ref: RepositoryRef) => Effect.Effect<StandingRepository | null, RepositoriesUnavailable>
    readonly since: (
      ref: RepositoryRef,
      held: HeldPacks | null
    ) => Effect.Effect<PackedRepository | null, RepositoriesUnavailable>
    readonly sinceEach: (
      wanted: Parameters<PackLog["Service"]["sinceEach"]>[0]
    ) => Effect.Effect<ReadonlyArray<PackedRepository | null>, RepositoriesUnavailable>
    readonly open: (ref: RepositoryRef, born: string) => Effect.Effect<boolean, RepositoriesUnavailable>
    readonly append: (
      step: Parameters<PackLog["Service"]["append"]>[0]
    ) => Effect.Effect<StandingRepository | null, RepositoriesUnavailable>
    readonly replace: (
      base: Parameters<PackLog["Service"]["replace"]>[0]
    ) => Effect.Effect<boolean, RepositoriesUnavailable>
    readonly drop: (ref: RepositoryRef) => Effect.Effect<void, RepositoriesUnavailable>
  }
  /** The bytes of all these, in their order, proved by their digests. */
  readonly fetchAll: (
    packs: ReadonlyArray<LoggedPack>
  ) => Effect.Effect<ReadonlyArray<FetchedPack>, OldList | RepositoriesUnavailable>
  /** Makes the bytes last, so that a row may name them. Of a base that goes into the object store its index too. */
  readonly store: (
    project: string,
    pack: Uint8Array,
    index?: Uint8Array
  ) => Effect.Effect<Pack, RepositoriesUnavailable>
  /** Deletes what no row names: its row was refused. */
  readonly discard: (pack: Pack) => Effect.Effect<void, RepositoriesUnavailable>
}

const logAway = (error: LedgerUnavailable) => away(`the database is away: ${error.reason}`)
const storeAway = (error: { readonly message: string }) => away(error.message)

const spoilt = ({ digest }: Pack) => Effect.fail(away(`a pack has other bytes than ${digest}`))

/** The source that these two ports make. */
export const make: Effect.Effect<PackSource, never, PackLog | ObjectStore> = Effect.gen(function* () {
  const log = yield* PackLog
  const objects = yield* ObjectStore

  const get = (key: string): Effect.Effect<Uint8Array, OldList | RepositoriesUnavailable> =>
    objects.get(key).pipe(
      Effect.catchTags({
        ObjectMissing: (error: ObjectMissing) => new OldList({ key: error.key }),
        InvalidKey: storeAway,
        ObjectStoreUnavailable: storeAway
      })
    )

  const put = (key: string, bytes: Uint8Array) => objects.put(key, bytes).pipe(Effect.mapError(storeAway))

  /** An index that is not there, or is of something else, is made anew by who needs it. */
  const indexOf = (object: string, pack: Uint8Array) =>
    get(`${object}.idx`).pipe(
      Effect.map((index) => (isIndexOf(index, trailerOf(pack)) ? index : null)),
      Effect.catchTag("OldList", () => Effect.succeed(null))
    )

  const stored = Effect.fnUntraced(function* (logged: LoggedPack) {
    if (logged.object === null) return yield* away(`nobody has the pack ${logged.digest}`)
    const pack = yield* get(`${logged.object}.pack`)
    if (digestOf(pack) !== logged.digest) return yield* spoilt(logged)
    return { pack, index: logged.isBase ? yield* indexOf(logged.object, pack) : null }
  })

  return {
    log: {
      standing: (ref) => Effect.mapError(log.standing(ref), logAway),
      since: (ref, held) => Effect.mapError(log.since(ref, held), logAway),
      sinceEach: (wanted) => Effect.mapError(log.sinceEach(wanted), logAway),
      open: (ref, born) => Effect.mapError(log.open(ref, born), logAway),
      append: (step) => Effect.mapError(log.append(step), logAway),
      replace: (base) => Effect.mapError(log.replace(base), logAway),
      drop: (ref) => Effect.mapError(log.drop(ref), logAway)
    },
    fetchAll: (packs) => {
      // What rows hold is at hand, and may be thousands of small ones.
      const isBad = packs.find(({ body, digest }) => body !== null && digestOf(body) !== digest)
      if (isBad !== undefined) return spoilt(isBad)
      return Effect.forEach(
        packs.flatMap((pack) => (pack.body === null ? [pack] : [])),
        stored,
        { concurrency: LocalLimits.packFetches }
      ).pipe(
        Effect.map((others) => {
          const next = others.values()
          return packs.map(({ body }) => (body === null ? next.next().value! : { pack: body, index: null }))
        })
      )
    },
    store: (project, pack, index) =>
      Effect.gen(function* () {
        const objectCount = objectsOf(pack)
        if (objectCount === null) return yield* new RepositoriesUnavailable({ operation: "store", reason: "no pack" })
        const stored = { digest: digestOf(pack), sizeBytes: pack.length, objects: objectCount }
        if (pack.length <= LocalLimits.packRowBytes) return { ...stored, body: pack, object: null }
        // A name of its own each time: what goes into the trash is named by nobody else, and never again.
        const object = `git/${project}/${stored.digest}-${randomUUID().slice(0, 8)}`
        yield* put(`${object}.pack`, pack)
        if (index !== undefined) yield* put(`${object}.idx`, index)
        return { ...stored, body: null, object }
      }),
    discard: ({ object }) =>
      object === null
        ? Effect.void
        : Effect.forEach([".pack", ".idx"], (ending) => objects.remove(`${object}${ending}`), { discard: true }).pipe(
            Effect.mapError(storeAway)
          )
  }
})
