/**
 * Repositories as the log of packs has them, unpacked and kept for the next call. What is kept may be forgotten at any
 * moment; each call asks the log for what is newer, and takes in only that.
 */
import { Effect } from "effect"
import { sha256 } from "@pawl/core/primitives/Digest"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { type LoggedPack, type Pack, type PackedRepository, PackLog } from "@pawl/core/project/PackLog"
import { ObjectNotFound, RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { makeUuid } from "@pawl/core/primitives/Ids"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { GitObject } from "./GitObject.ts"
import { BadPack, objectsIn } from "./Pack.ts"
import type { Objects } from "./Tree.ts"

const away = (reason: string) => new RepositoriesUnavailable({ operation: "packs", reason })

/** A repository is held whole while it is worked on. */
export const tooLarge = away(
  `the repository has more than ${CloudflareLimits.repositoryBytes} bytes of objects, which is too much where there is no git`
)

/** What is kept of a repository: all that is unpacked up to a place. */
interface Kept {
  readonly born: string
  readonly objects: Map<string, GitObject>
  through: number
  /** Of all bodies. */
  bytes: number
}

/** A repository as the log had it at one moment. Its objects may be more by now: they only grow. */
export interface Held {
  readonly born: string
  readonly objects: ReadonlyMap<string, GitObject>
  readonly through: number
  readonly main: string | null
  readonly bytes: number
}

/** A repository with those that it borrows from. */
export interface Line extends Objects {
  readonly own: Held
}

const said = (error: { readonly message: string }) => away(error.message)

const keyOf = ({ fork, project }: RepositoryRef): string => `${project}\n${fork ?? ""}`

/** Takes the objects of a pack in, which is whole by itself. */
const takeIn = (held: Kept, pack: Uint8Array) =>
  Effect.try({
    try: () => {
      for (const object of objectsIn(pack, (id) => held.objects.get(id))) {
        if (held.objects.has(object.id)) continue
        held.objects.set(object.id, object)
        held.bytes += object.body.length
      }
    },
    catch: (error) =>
      away(error instanceof BadPack ? `a pack cannot be read: ${error.reason}` : "a pack cannot be read")
  })

/** The log's own steps; what is away is `RepositoriesUnavailable`. */
type Log = PackLog["Service"]
interface LoggedSteps {
  readonly open: (...options: Parameters<Log["open"]>) => Effect.Effect<boolean, RepositoriesUnavailable>
  readonly append: (
    ...options: Parameters<Log["append"]>
  ) => Effect.Effect<Omit<PackedRepository, "packs"> | null, RepositoriesUnavailable>
  readonly replace: (...options: Parameters<Log["replace"]>) => Effect.Effect<boolean, RepositoriesUnavailable>
  readonly drop: (...options: Parameters<Log["drop"]>) => Effect.Effect<void, RepositoriesUnavailable>
  /** What the log says of a repository without its packs, but for those that are beside a base. */
  readonly standing: (ref: RepositoryRef) => Effect.Effect<PackedRepository | null, RepositoriesUnavailable>
}

/** How repositories are read and added to. */
export interface HeldRepositories {
  /** As the log has it now; null when it is not there. */
  readonly bring: (ref: RepositoryRef) => Effect.Effect<Held | null, RepositoriesUnavailable>
  /** The same with canonical behind a fork. */
  readonly line: (ref: RepositoryRef) => Effect.Effect<Line, ObjectNotFound | RepositoriesUnavailable>
  /** Makes the bytes last, so that a row may name them. */
  readonly store: (project: string, bytes: Uint8Array, objects: number) => Effect.Effect<Pack, RepositoriesUnavailable>
  /** Deletes what no row names: its row was refused. */
  readonly discard: (pack: Pack) => Effect.Effect<void, RepositoriesUnavailable>
  /** Forgets what is kept of a repository, and of its forks where it is a canonical one. */
  readonly forget: (ref: RepositoryRef) => void
  readonly log: LoggedSteps
}

const bodies = (objects: ObjectStore["Service"]) => ({
  fetch: Effect.fnUntraced(function* ({ body, digest, object }: LoggedPack) {
    if (body === null && object === null) return yield* away(`nobody has the pack ${digest}`)
    const bytes = body ?? (yield* Effect.mapError(objects.get(`${object}.pack`), said))
    return (yield* sha256(bytes)) === digest ? bytes : yield* away(`a pack has other bytes than ${digest}`)
  }),
  store: Effect.fnUntraced(function* (project: string, bytes: Uint8Array, count: number) {
    const stored = { digest: yield* sha256(bytes), sizeBytes: bytes.length, objects: count }
    if (bytes.length <= CloudflareLimits.plainPackRowBytes) return { ...stored, body: bytes, object: null }
    // A name of its own each time: what goes into the trash is named by nobody else, and never again.
    const object = `git/${project}/${stored.digest}-${(yield* makeUuid).slice(0, 8)}`
    yield* Effect.mapError(objects.put(`${object}.pack`, bytes), said)
    return { ...stored, body: null, object }
  }),
  discard: ({ object }: Pack) =>
    object === null ? Effect.void : Effect.mapError(objects.remove(`${object}.pack`), said)
})

/** Nothing is kept yet. */
export const make: Effect.Effect<HeldRepositories, never, PackLog | ObjectStore> = Effect.gen(function* () {
  const log = yield* PackLog
  const { discard, fetch, store } = bodies(yield* ObjectStore)
  const kept = new Map<string, Kept>()

  /** The longest unused go first. */
  const keep = (key: string, held: Kept): void => {
    kept.delete(key)
    kept.set(key, held)
    let bytes = Array.from(kept.values()).reduce((sum, each) => sum + each.bytes, 0)
    for (const [other, each] of kept) {
      if (bytes <= CloudflareLimits.repositoriesKeptBytes || each === held) break
      kept.delete(other)
      bytes -= each.bytes
    }
  }

  const update = Effect.fnUntraced(function* (
    ref: RepositoryRef
  ): Effect.fn.Return<Held | null, RepositoriesUnavailable> {
    const known = kept.get(keyOf(ref)) ?? null
    const found = yield* Effect.mapError(log.since(ref, known), said)
    if (found === null) {
      kept.delete(keyOf(ref))
      return null
    }
    const held: Kept =
      known !== null && known.born === found.born
        ? known
        : { born: found.born, objects: new Map(), through: 0, bytes: 0 }
    for (const pack of found.packs) {
      yield* takeIn(held, yield* fetch(pack))
      if (held.bytes > CloudflareLimits.repositoryBytes) return yield* tooLarge
    }
    // Others may have brought it further meanwhile.
    held.through = Math.max(held.through, found.through)
    keep(keyOf(ref), held)
    const { born, main, through } = found
    return { born, main, through, objects: held.objects, bytes: held.bytes }
  })

  // What a list named may be in a base by now: the list is read again, once.
  const bring: HeldRepositories["bring"] = (ref) => Effect.retry(update(ref), { times: 1 })

  const line: HeldRepositories["line"] = Effect.fnUntraced(function* (ref: RepositoryRef) {
    const own = yield* bring(ref)
    if (own === null) return yield* new ObjectNotFound({ what: "repository", id: ref.fork ?? ref.project })
    // After the fork: what that borrows is there by now.
    const behind = ref.fork === undefined ? null : yield* bring({ project: ref.project })
    return { own, get: (id) => own.objects.get(id) ?? behind?.objects.get(id) }
  })

  const forget = (ref: RepositoryRef): void => {
    for (const key of kept.keys())
      if (key === keyOf(ref) || (ref.fork === undefined && key.startsWith(keyOf(ref)))) kept.delete(key)
  }

  const steps: LoggedSteps = {
    open: (ref, born) => Effect.mapError(log.open(ref, born), said),
    append: (step) => Effect.mapError(log.append(step), said),
    replace: (base) => Effect.mapError(log.replace(base), said),
    drop: (ref) => Effect.mapError(log.drop(ref), said),
    standing: (ref) => Effect.mapError(log.since(ref, null), said)
  }
  return { bring, line, store, discard, forget, log: steps }
})
