/**
 * Repositories as the log of packs has them. Each call asks the log for what is newer, and takes in only that.
 */
import { Effect } from "effect"
import { sha256 } from "@pawl/core/primitives/Digest"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { isCrowded, type LoggedPack, type Pack, PackLog } from "@pawl/core/project/PackLog"
import { ObjectNotFound, type RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { makeUuid } from "@pawl/core/primitives/Ids"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import {
  away,
  type Held,
  type HeldRepositories,
  type Kept,
  KeptRepositories,
  takeIn,
  tooLarge,
  unpacked
} from "./HeldRepositories.ts"
import { packOf } from "./Pack.ts"

/** What is kept of a repository: all that is unpacked up to a place. */
interface KeptPacks extends Kept {
  through: number
}

/** A repository as the log had it at one moment. */
interface LoggedRepository extends Held {
  readonly objects: KeptPacks["objects"]
  readonly through: number
}

const said = (error: { readonly message: string }) => away(error.message)

const bodies = (objects: ObjectStore["Service"]) => ({
  fetch: Effect.fnUntraced(function* ({ body, digest, object }: LoggedPack) {
    if (body === null && object === null) return yield* away(`nobody has the pack ${digest}`)
    const bytes = body ?? (yield* Effect.mapError(objects.get(`${object}.pack`), said))
    return (yield* sha256(bytes)) === digest ? bytes : yield* away(`a pack has other bytes than ${digest}`)
  }),
  /** Makes the bytes last, so that a row may name them. */
  store: Effect.fnUntraced(function* (project: string, bytes: Uint8Array, count: number) {
    const stored = { digest: yield* sha256(bytes), sizeBytes: bytes.length, objects: count }
    if (bytes.length <= CloudflareLimits.plainPackRowBytes) return { ...stored, body: bytes, object: null }
    // A name of its own each time: what goes into the trash is named by nobody else, and never again.
    const object = `git/${project}/${stored.digest}-${(yield* makeUuid).slice(0, 8)}`
    yield* Effect.mapError(objects.put(`${object}.pack`, bytes), said)
    return { ...stored, body: null, object }
  }),
  /** Deletes what no row names: its row was refused. */
  discard: ({ object }: Pack) =>
    object === null ? Effect.void : Effect.mapError(objects.remove(`${object}.pack`), said)
})

type Bodies = ReturnType<typeof bodies>
type Bring = (ref: RepositoryRef) => Effect.Effect<LoggedRepository | null, RepositoriesUnavailable>

const bringing = (
  log: PackLog["Service"],
  { fetch }: Pick<Bodies, "fetch">,
  kept: KeptRepositories<KeptPacks>
): Bring => {
  const update = Effect.fnUntraced(function* (
    ref: RepositoryRef
  ): Effect.fn.Return<LoggedRepository | null, RepositoriesUnavailable> {
    const known = kept.get(ref)
    const found = yield* Effect.mapError(log.since(ref, known), said)
    if (found === null) {
      kept.forget(ref)
      return null
    }
    const held: KeptPacks =
      known !== null && known.born === found.born
        ? known
        : { born: found.born, objects: new Map(), through: 0, bytes: 0 }
    for (const pack of found.packs) {
      takeIn(held, yield* unpacked(yield* fetch(pack), (id) => held.objects.get(id)))
      if (held.bytes > CloudflareLimits.repositoryBytes) return yield* tooLarge
    }
    // Others may have brought it further meanwhile.
    held.through = Math.max(held.through, found.through)
    kept.keep(ref, held)
    const { born, main, through } = found
    return { born, main, through, objects: held.objects, bytes: held.bytes }
  })
  // What a list named may be in a base by now: the list is read again, once.
  return (ref) => Effect.retry(update(ref), { times: 1 })
}

const missing = (ref: RepositoryRef) => new ObjectNotFound({ what: "repository", id: ref.fork ?? ref.project })

const compacting = (log: PackLog["Service"], { discard, store }: Bodies, bring: Bring): HeldRepositories["compact"] =>
  Effect.fnUntraced(function* (ref: RepositoryRef) {
    const own = (yield* bring(ref)) ?? (yield* missing(ref))
    const found = yield* Effect.mapError(log.since(ref, null), said)
    if (found === null || found.born !== own.born || found.through !== own.through || !isCrowded(found)) return
    const objects = [...own.objects.values()]
    const base = yield* store(ref.project, packOf(objects), objects.length)
    const { born, through } = found
    // Another was quicker, or the repository is gone: nobody heard of this one.
    if (!(yield* Effect.mapError(log.replace({ ref, born, through, base }), said))) yield* discard(base)
  })

/** Nothing is kept yet. */
export const make: Effect.Effect<HeldRepositories, never, PackLog | ObjectStore> = Effect.gen(function* () {
  const log = yield* PackLog
  const packs = bodies(yield* ObjectStore)
  const kept = new KeptRepositories<KeptPacks>()
  const bring = bringing(log, packs, kept)
  return {
    line: Effect.fnUntraced(function* (ref: RepositoryRef) {
      const own = (yield* bring(ref)) ?? (yield* missing(ref))
      // After the fork: what that borrows is there by now.
      const behind = ref.fork === undefined ? null : yield* bring({ project: ref.project })
      return { own, get: (id: string) => own.objects.get(id) ?? behind?.objects.get(id) }
    }),
    open: (ref) => Effect.flatMap(makeUuid, (born) => Effect.mapError(log.open(ref, born), said)),
    add: Effect.fnUntraced(function* (ref, { own: { born } }, { main, objects }) {
      const made = [...objects.values()]
      const pack = made.length === 0 ? null : yield* packs.store(ref.project, packOf(made), made.length)
      const step = { ref, born, pack, ...(main === null ? {} : { main }) }
      const stands = yield* Effect.mapError(log.append(step), said)
      if (stands === null && pack !== null) yield* packs.discard(pack)
      return stands !== null
    }),
    compact: compacting(log, packs, bring),
    drop: (ref) =>
      Effect.andThen(
        Effect.mapError(log.drop(ref), said),
        Effect.sync(() => kept.forget(ref))
      )
  }
})
