/**
 * Upkeep of repositories that are kept as packs: many packs become one, and bytes that no row names any more go once
 * nobody can be reading them. Where repositories are folders there is nothing to do, and no command is sent.
 */
import { Effect } from "effect"
import { type ObjectInfo, ObjectStore } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { PackLog } from "../project/PackLog.ts"
import { Repositories, type RepositoryRef } from "../project/Repositories.ts"

/** What of a pack lies in the object store, by the ends of its keys. */
const endings = [".pack", ".idx"]
/** Under which all of it lies, and below that what is of each Project. */
const prefix = "git/"

/** Whether `packs.sweep` would find something. */
export const isPackSweepDue = Effect.gen(function* () {
  const log = yield* PackLog
  return (yield* log.crowded(1)).length > 0 || (yield* log.dueTrash(1)).length > 0
})

/** One that cannot be joined now keeps none of the others; it is met again at the next sweep. */
const compact = (ref: RepositoryRef) =>
  Effect.flatMap(Repositories, (repositories) => repositories.compact(ref)).pipe(
    // Deleted meanwhile.
    Effect.catchTag("ObjectNotFound", () => Effect.void),
    Effect.catchTag("RepositoriesUnavailable", (problem) => Effect.logWarning("packs not joined", ref, problem))
  )

const removed = (objects: ObjectStore["Service"], object: string) =>
  Effect.forEach(endings, (ending) => objects.remove(`${object}${ending}`), { discard: true })

const emptyTrash = Effect.gen(function* () {
  const log = yield* PackLog
  const objects = yield* ObjectStore
  const due = yield* log.dueTrash(Limits.objectListLimit)
  if (due.length === 0) return
  yield* Effect.forEach(due, ({ object }) => removed(objects, object), {
    concurrency: Limits.packDeletionsAtOnce,
    discard: true
  }).pipe(Effect.catchTag("InvalidKey", Effect.die))
  yield* log.forgetTrash(due)
})

/** The body of `packs.sweep`, one message: at most `Limits.sweepRepositories` repositories. */
export const sweepPacks = Effect.gen(function* () {
  const crowded = yield* (yield* PackLog).crowded(Limits.sweepRepositories)
  yield* Effect.forEach(crowded, compact, { discard: true })
  yield* emptyTrash
}).pipe(Effect.withSpan("PackSweep.sweepPacks"))

/** The Project and the name of what is kept under a key, without the end of the key. */
const partsOf = ({ key }: ObjectInfo) => {
  const [, object, projectId] = /^(git\/([^/]+)\/[^/]+)\.(?:pack|idx)$/.exec(key) ?? []
  return object === undefined || projectId === undefined ? null : { object, projectId }
}

/**
 * Deletes litter among the next objects: bytes that were stored, and whose row was never written. Answers the last key
 * that it looked at; null at the end. `own` is the beginning of the keys below `git/` whose rows are in this log: where it
 * has those of one Project alone, `<project>/`.
 */
export const sweepLitter = Effect.fnUntraced(
  function* (after: string | null, now: number, own: string) {
    const objects = yield* ObjectStore
    const log = yield* PackLog
    const found = yield* objects.list(`${prefix}${own}`, after === null ? {} : { after })
    const old = found.filter((each) => each.storedAtMs <= now - Limits.packLitterDays * Time.dayMs)
    const byProject = Map.groupBy(
      old.flatMap((each) => partsOf(each) ?? []),
      ({ projectId }) => projectId
    )
    for (const [projectId, parts] of byProject) {
      const names = [...new Set(parts.map(({ object }) => object))]
      const kept = yield* log.kept(projectId, names)
      const litter = names.filter((object) => !kept.has(object))
      yield* Effect.forEach(litter, (object) => removed(objects, object), { discard: true })
    }
    return found.length < Limits.objectListLimit ? null : (found.at(-1)?.key ?? null)
  },
  Effect.catchTag("InvalidKey", Effect.die)
)
