/**
 * Copies of repositories that may be lost at any moment. A process has a folder of its own within the cache, and begins
 * with an empty one; what dead processes left is removed. Whole Projects go when the copies take too much: what was used
 * longest ago first, never what is in use.
 */
import { randomUUID } from "node:crypto"
import { readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope, Semaphore } from "effect"
import type { RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"
import { absent, makeDirectory, unless } from "../../objects/DurableFile.ts"
import { type FileLock, takeExclusive } from "../../sqlite/FileLock.ts"
import { forksIn, io, remove } from "../GitFolder.ts"
import type { GitReaders } from "../GitReaders.ts"
import { repositoryPath } from "../RepositoryPath.ts"

/** What the copy of one repository holds. */
export interface Copy {
  readonly born: string
  /** Up to which place of its packs. */
  readonly through: number
  /** The commit of `main`, as it is written in the copy. */
  readonly main: string | null
  /** About what it takes on the disk. */
  readonly sizeBytes: number
  /** The files of objects that others have too. What else lies there is new, or was left by what was refused. */
  readonly files: ReadonlySet<string>
}

/** The copies of one Project's repositories. */
export interface CachedProject {
  readonly project: string
  /** For one at a time: who changes the copies. */
  readonly turn: Semaphore.Semaphore
  /** By the fork's name; canonical's is empty. */
  readonly copies: Map<string, Copy>
  /** Another one after each time that something of it was thrown away. */
  epoch: number
  users: number
  sizeBytes: number
  /** In which repository a write began of which is not known whether all was handed on; null: in none. */
  unsure: string | null
}

/** The copies of this process. */
export interface CacheFolder {
  /** Where the repositories lie. Absolute. */
  readonly root: string
  /** Keeps the copies of a Project until the scope ends. */
  readonly lease: (project: string) => Effect.Effect<CachedProject, never, Scope.Scope>
  /** Puts a copy in the place of the one before. Others may go for what it takes more. */
  readonly put: (cached: CachedProject, ref: RepositoryRef, copy: Copy) => Effect.Effect<void>
  /** Throws the copy of one repository away, with what lies there that nobody knows of. Only in the Project's turn. */
  readonly discard: (cached: CachedProject, ref: RepositoryRef) => Effect.Effect<void, RepositoriesUnavailable>
  /** Throws all copies of a Project away. Only in its turn. */
  readonly throwAway: (cached: CachedProject) => Effect.Effect<void, RepositoriesUnavailable>
}

/** By which name a repository stands among the copies of its Project. */
export const keyOf = ({ fork }: RepositoryRef): string => fork ?? ""

const lockOf = (folder: string, name: string): string => join(folder, `${name}.lock`)

/** Removes what dead processes left: nobody holds their lock any more. */
const sweep = async (folder: string): Promise<void> => {
  for (const name of await unless(readdir(folder), absent, [])) {
    if (!/^copies-[0-9a-f-]{36}$/.test(name)) continue
    const lock = takeExclusive(lockOf(folder, name))
    if (lock === null) continue
    await rm(join(folder, name), { recursive: true, force: true })
    lock.close()
    for (const beside of ["", "-journal"]) await rm(lockOf(folder, name) + beside, { force: true })
  }
}

const enter = async (folder: string): Promise<{ readonly root: string; readonly lock: FileLock | null }> => {
  await makeDirectory(folder)
  const name = `copies-${randomUUID()}`
  const lock = takeExclusive(lockOf(folder, name))
  await makeDirectory(join(folder, name))
  return { root: join(folder, name), lock }
}

/**
 * A folder of its own for this process in `directory`, until the scope ends. What is left then, and what dead processes
 * left, the next one removes beside its work: it may be much.
 */
export const open = (directory: string): Effect.Effect<string, RepositoriesUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { root } = yield* Effect.acquireRelease(
      io("cache", () => enter(directory)),
      ({ lock }) => Effect.sync(() => lock?.close())
    )
    const sweeping = Effect.catch(
      io("cache", () => sweep(directory)),
      ({ reason }) => Effect.logWarning("copies of dead processes were not removed", reason)
    )
    yield* Effect.forkScoped(sweeping)
    return root
  })

/** Removes a Project's folder, whatever is in it: gone under its name at once. */
const removeProject = (root: string, readers: GitReaders, project: string) =>
  Effect.gen(function* () {
    const path = yield* repositoryPath(root, { project })
    const all = [...(yield* io("remove", () => forksIn(path))), path]
    const removing = join(root, `.removing-${randomUUID()}`)
    yield* io("remove", () => unless(rename(path.projectDir, removing), absent, undefined))
    yield* Effect.forEach(all, ({ gitDir }) => readers.close(gitDir), { discard: true })
    yield* io("remove", () => rm(removing, { recursive: true, force: true }))
  })

/** The Projects of a cache in the order of use: what was used longest ago comes first. */
class Shelf {
  readonly projects = new Map<string, CachedProject>()
  sizeBytes = 0

  enter(project: string): CachedProject {
    const cached = this.projects.get(project) ?? {
      project,
      turn: Semaphore.makeUnsafe(1),
      copies: new Map(),
      epoch: 0,
      users: 0,
      sizeBytes: 0,
      unsure: null
    }
    this.projects.delete(project)
    this.projects.set(project, cached)
    cached.users++
    return cached
  }

  leave(cached: CachedProject): void {
    if (--cached.users === 0 && cached.copies.size === 0 && cached.unsure === null) this.projects.delete(cached.project)
  }

  count(cached: CachedProject, bytes: number): void {
    cached.sizeBytes += bytes
    this.sizeBytes += bytes
  }
}

/** The copies below `root`, at most about `maxBytes`; `readers` are those that read in them. */
export const make = (options: {
  readonly root: string
  readonly maxBytes: number
  readonly readers: GitReaders
}): CacheFolder => {
  const { maxBytes, readers, root } = options
  const shelf = new Shelf()
  const lease: CacheFolder["lease"] = (project) =>
    Effect.acquireRelease(
      Effect.sync(() => shelf.enter(project)),
      (cached) => Effect.sync(() => shelf.leave(cached))
    )

  const throwAway: CacheFolder["throwAway"] = (cached) =>
    Effect.suspend(() => {
      // Whoever looks meanwhile finds nothing, and waits for the turn.
      cached.copies.clear()
      cached.epoch++
      cached.unsure = ""
      return Effect.map(removeProject(root, readers, cached.project), () => {
        shelf.count(cached, -cached.sizeBytes)
        cached.unsure = null
      })
    })

  const discard: CacheFolder["discard"] = (cached, ref) =>
    Effect.gen(function* () {
      const path = yield* repositoryPath(root, ref)
      shelf.count(cached, -(cached.copies.get(keyOf(ref))?.sizeBytes ?? 0))
      cached.copies.delete(keyOf(ref))
      cached.epoch++
      yield* io("remove", () => remove(path))
      yield* readers.close(path.gitDir)
    })

  const shrink = Effect.gen(function* () {
    // Of the order as it is now: who is looked at becomes the last.
    for (const { copies, project, users } of Array.from(shelf.projects.values())) {
      if (shelf.sizeBytes <= maxBytes) return
      if (users > 0 || copies.size === 0) continue
      yield* Effect.scoped(
        Effect.flatMap(lease(project), (cached) =>
          cached.turn.withPermits(1)(Effect.suspend(() => (cached.users > 1 ? Effect.void : throwAway(cached))))
        )
      )
    }
  })

  return {
    root,
    lease,
    put: (cached, ref, copy) =>
      Effect.suspend(() => {
        shelf.count(cached, copy.sizeBytes - (cached.copies.get(keyOf(ref))?.sizeBytes ?? 0))
        cached.copies.set(keyOf(ref), copy)
        return Effect.catch(shrink, ({ reason }) =>
          Effect.logWarning("copies of repositories were not removed", reason)
        )
      }),
    discard,
    throwAway
  }
}
