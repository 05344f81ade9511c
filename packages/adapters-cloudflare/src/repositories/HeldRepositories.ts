/**
 * Repositories unpacked, as every write and every read of them works on them. Where they are kept, and how what a write
 * made comes to be there, is what implementations differ in: `PackLogHeld`, `ArtifactsHeld`.
 */
import { Effect } from "effect"
import { type ObjectNotFound, RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { GitObject } from "./GitObject.ts"
import { BadPack, objectsIn } from "./Pack.ts"
import type { Objects } from "./Tree.ts"

/** That where repositories are kept did not do what it was asked. */
export const away = (reason: string): RepositoriesUnavailable =>
  new RepositoriesUnavailable({ operation: "packs", reason })

/** A repository is held whole while it is worked on. */
export const tooLarge: RepositoriesUnavailable = away(
  `the repository has more than ${CloudflareLimits.repositoryBytes} bytes of objects, which is too much where there is no git`
)

/** A repository as it stood at one moment. */
export interface Held {
  /** Another one each time a repository of this name is made. */
  readonly born: string
  readonly main: string | null
  /** Of the bodies of all objects. */
  readonly bytes: number
}

/** A repository with those that it borrows from. Its objects may be more by now: they only grow. */
export interface Line extends Objects {
  readonly own: Held
}

/** What a write made, to be handed on in one step. */
export interface Made {
  readonly objects: ReadonlyMap<string, GitObject>
  /** Where `main` moves from and to; null when it stays. */
  readonly main: { readonly from: string | null; readonly to: string } | null
}

/** How repositories are read and added to. */
export interface HeldRepositories {
  /** As it is now, with canonical behind a fork. */
  readonly line: (ref: RepositoryRef) => Effect.Effect<Line, ObjectNotFound | RepositoriesUnavailable>
  /** Makes an empty repository; one that is there is left. False: a fork's canonical repository is not there. */
  readonly open: (ref: RepositoryRef) => Effect.Effect<boolean, RepositoriesUnavailable>
  /** Makes what was made on a line last. False, and nobody hears of it: another was quicker. */
  readonly add: (ref: RepositoryRef, line: Line, made: Made) => Effect.Effect<boolean, RepositoriesUnavailable>
  /** Joins what a repository lies in, where that is in many pieces. */
  readonly compact: (ref: RepositoryRef) => Effect.Effect<void, ObjectNotFound | RepositoriesUnavailable>
  /** Deletes a fork, or the canonical repository with all forks. */
  readonly drop: (ref: RepositoryRef) => Effect.Effect<void, RepositoriesUnavailable>
}

/** What is kept of a repository for the next call. It may be forgotten at any moment. */
export interface Kept {
  readonly born: string
  readonly objects: Map<string, GitObject>
  /** Of all bodies. */
  bytes: number
}

/** The name of a repository within the memory of one Worker. */
const keyOf = ({ fork, project }: RepositoryRef): string => `${project}\n${fork ?? ""}`

/** What a Worker keeps of repositories, of which the longest unused go first. */
export class KeptRepositories<K extends Kept> {
  private readonly kept = new Map<string, K>()

  get(ref: RepositoryRef): K | null {
    return this.kept.get(keyOf(ref)) ?? null
  }

  keep(ref: RepositoryRef, held: K): void {
    const key = keyOf(ref)
    this.kept.delete(key)
    this.kept.set(key, held)
    let bytes = Array.from(this.kept.values()).reduce((sum, each) => sum + each.bytes, 0)
    for (const [other, each] of this.kept) {
      if (bytes <= CloudflareLimits.repositoriesKeptBytes || each === held) break
      this.kept.delete(other)
      bytes -= each.bytes
    }
  }

  /** Forgets a repository, and its forks where it is a canonical one. */
  forget(ref: RepositoryRef): void {
    for (const key of this.kept.keys())
      if (key === keyOf(ref) || (ref.fork === undefined && key.startsWith(keyOf(ref)))) this.kept.delete(key)
  }
}

/** Takes objects in that were not there. */
export const takeIn = (held: Kept, objects: Iterable<GitObject>): void => {
  for (const object of objects) {
    if (held.objects.has(object.id)) continue
    held.objects.set(object.id, object)
    held.bytes += object.body.length
  }
}

/** The objects of a pack. `base` finds what a delta rests on and is not in it. */
export const unpacked = (
  pack: Uint8Array,
  base: (id: string) => GitObject | undefined
): Effect.Effect<ReadonlyArray<GitObject>, RepositoriesUnavailable> =>
  Effect.try({
    try: () => objectsIn(pack, base),
    catch: (error) =>
      away(error instanceof BadPack ? `a pack cannot be read: ${error.reason}` : "a pack cannot be read")
  })
