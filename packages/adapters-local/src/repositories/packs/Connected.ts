/** Whether what a write left can stand in the log: whole by itself, beside what canonical has there. */
import { Effect } from "effect"
import type { RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../../LocalLimits.ts"
import { short } from "../GitCommand.ts"
import { io } from "../GitFolder.ts"
import type { GitObject } from "../GitObjects.ts"
import { type CachedProject, keyOf } from "./CacheFolder.ts"
import { type CopyParts, pathIn } from "./Copies.ts"
import { type HeldObjects, inPacks } from "./ObjectFiles.ts"

/** What a write left, and where it stands. */
interface Left {
  readonly ref: RepositoryRef
  /** The commit that it answers; null where it answers none. */
  readonly tip: string | null
  /** The files in its copy whose objects are in no pack of its log. */
  readonly fresh: ReadonlyArray<string>
  readonly objects: HeldObjects
  /** Canonical's, as the log has it. */
  readonly main: string | null
}

const treeEntries = (body: Uint8Array): ReadonlyArray<string> => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const ids: Array<string> = []
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, end + 21))
    ids.push(bytes.toString("hex", end + 1, end + 21))
  return ids
}

const commitHeader = (body: Uint8Array): ReadonlyArray<string> => {
  const [header = ""] = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1").split("\n\n", 1)
  return [...header.matchAll(/^(?:tree|parent) ([0-9a-f]{40})$/gm)].flatMap(([, id]) => id ?? [])
}

/** The objects that one names. */
const namedBy = ({ body, type }: GitObject): ReadonlyArray<string> =>
  type === "tree" ? treeEntries(body) : type === "commit" ? commitHeader(body) : []

/** Whether each pack was handed to this fork by another one that the log has, with all that the other has. */
const areHandedOn = (cached: CachedProject, { fresh, ref }: Left, packs: ReadonlyArray<string>): boolean => {
  const own = new Set([...fresh, ...(cached.copies.get(keyOf(ref))?.files ?? [])])
  const others = [...cached.copies].filter(([key]) => key !== keyOf(ref) && key !== keyOf({ project: ref.project }))
  const whole = others.filter(([, { files }]) => [...files].every((file) => own.has(file)))
  return packs.every((pack) => whole.some(([, { files }]) => files.has(pack)))
}

/**
 * Whether the objects of a fork that lie alone name only each other, what is in its packs, and what canonical has. Its
 * packs are those of other forks: they are whole beside canonical. False where it would take more to tell.
 */
const isAtHand = Effect.fnUntraced(function* (parts: CopyParts, cached: CachedProject, left: Left) {
  const { objects, ref, tip } = left
  const { loose, packs } = objects
  if (ref.fork === undefined || loose.length > LocalLimits.packLooseObjects) return false
  const names = packs.map(({ name }) => name)
  if (!areHandedOn(cached, left, names)) return false
  const alone = new Set(loose.map(({ id }) => id))
  const named = [...(tip === null ? [] : [tip]), ...loose.flatMap(namedBy)].filter((id) => !alone.has(id))
  const { gitDir } = yield* pathIn(parts, ref)
  const packed = yield* io("look", () => inPacks(gitDir, names, named))
  const canonical = yield* pathIn(parts, { project: ref.project })
  // The log has all that canonical's copy has, whatever becomes of that.
  const found = yield* Effect.forEach(
    new Set(named.filter((id) => !packed.has(id))),
    (id) => parts.readers.info(canonical.gitDir, id),
    { concurrency: "unbounded" }
  )
  return found.every((each) => each !== undefined)
})

/**
 * Whether all is there still that a commit rests on, beyond what `main` holds: the log has that, of canonical, whatever
 * becomes of a copy. Asked after the files were read: what was deleted before that is missing now. One pack with the
 * commit in it is whole, as git made it.
 */
export const isConnected = Effect.fnUntraced(function* (
  parts: CopyParts,
  cached: CachedProject,
  left: Left
): Effect.fn.Return<boolean, RepositoriesUnavailable> {
  const { fresh, main, ref, tip } = left
  if (tip === null || tip === main) return true
  const { gitDir } = yield* pathIn(parts, ref)
  if (fresh.length === 1 && (yield* io("look", () => inPacks(gitDir, fresh, [tip]))).has(tip)) return true
  if (yield* Effect.orElseSucceed(isAtHand(parts, cached, left), () => false)) return true
  const beyond = main === null ? [] : [`^${main}`]
  const { code } = yield* short({ gitDir, args: ["rev-list", "--objects", "--quiet", tip, ...beyond] })
  return code === 0
})
