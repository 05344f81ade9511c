/**
 * Git repositories as rows: where `main` of each is, and the packs that hold its objects, in the order of their commits.
 * Machines keep copies of what is here and may lose them.
 */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import { Limits } from "../primitives/Limits.ts"
import type { RepositoryRef } from "./Repositories.ts"

/** A pack of git's. Its bytes stand in the row, or in the object store when they are many. */
export interface Pack {
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string
  readonly sizeBytes: number
  /** How many objects are in it. */
  readonly objects: number
  /** The bytes; null where the object store has them. */
  readonly body: Uint8Array | null
  /** The key in the object store without its ending, `.pack`; a base there has an `.idx` beside it. Null where `body` is. */
  readonly object: string | null
}

/** A pack in its place. */
export interface LoggedPack extends Pack {
  /** The place: up to here all packs of the repository are in this one when it is a base; else it is this place's own. */
  readonly through: number
  readonly isBase: boolean
}

/** What a machine has of a repository: which one, and how far. */
export interface HeldPacks {
  readonly born: string
  readonly through: number
}

/** How a repository stands. */
export interface StandingRepository {
  /** Another one each time a repository of this name is made. */
  readonly born: string
  /** The commit of `main`; null before there is one, and of a fork. */
  readonly main: string | null
  /** The place of the newest pack; 0 before the first. */
  readonly through: number
  /** Packs that are in no base yet, and their bytes. */
  readonly hotPacks: number
  readonly hotBytes: number
}

/** A repository, and the packs that someone who asked lacks, in their order: all of one moment. */
export interface PackedRepository extends StandingRepository {
  readonly packs: ReadonlyArray<LoggedPack>
}

/** What is added to a repository in one step. */
export interface PackStep {
  readonly ref: RepositoryRef
  readonly born: string
  /** None when nothing but `main` moves. */
  readonly pack: Pack | null
  /** From where `main` moves to where; it must still be there. */
  readonly main?: { readonly from: string | null; readonly to: string }
}

/** Bytes that nothing names any more. They wait for those who still read a list that names them. */
export interface TrashedObject {
  readonly projectId: string
  /** As `Pack.object`. */
  readonly object: string
}

/** Whether a repository has so many packs beside its base that they should become one. */
export const isCrowded = ({ hotBytes, hotPacks }: Pick<StandingRepository, "hotPacks" | "hotBytes">): boolean =>
  hotPacks > Limits.hotPacks || hotBytes > Limits.hotPackBytes

/** The store of refs and packs. Places are given under the lock of the repository's row: in the order of commits. */
export class PackLog extends Context.Service<
  PackLog,
  {
    /** The repository without its packs. Null when there is no such repository. */
    readonly standing: (ref: RepositoryRef) => Effect.Effect<StandingRepository | null, LedgerUnavailable>
    /**
     * The repository with the packs after what is held; with all when another one of this name is held, or none. Null when
     * there is no such repository. What is held through the middle of a base gets that base.
     */
    readonly since: (
      ref: RepositoryRef,
      held: HeldPacks | null
    ) => Effect.Effect<PackedRepository | null, LedgerUnavailable>
    /** The same of some repositories of one Project, in the order in which they are named, and all of one moment. */
    readonly sinceEach: (
      wanted: ReadonlyArray<readonly [ref: RepositoryRef, held: HeldPacks | null]>
    ) => Effect.Effect<ReadonlyArray<PackedRepository | null>, LedgerUnavailable>
    /**
     * Makes an empty repository, known as `born`. One that is there is left as it is. A fork is made only beside its
     * canonical repository: false where that is not there.
     */
    readonly open: (ref: RepositoryRef, born: string) => Effect.Effect<boolean, LedgerUnavailable>
    /**
     * Adds a pack in the next place and moves `main`, both or neither. Answers how the repository stands then, without its
     * packs; null, and nothing is done, when it is not this one any more or `main` is elsewhere.
     */
    readonly append: (step: PackStep) => Effect.Effect<StandingRepository | null, LedgerUnavailable>
    /**
     * Puts a base in the place of all packs up to `through`, which all are in it; what the object store has of them goes
     * into the trash. False, and nothing is done, when there is no own pack at that place any more: another was quicker.
     */
    readonly replace: (options: {
      readonly ref: RepositoryRef
      readonly born: string
      readonly through: number
      readonly base: Pack
    }) => Effect.Effect<boolean, LedgerUnavailable>
    /** Deletes a fork, or the canonical repository with all forks; what the object store has of them goes into the trash. */
    readonly drop: (ref: RepositoryRef) => Effect.Effect<void, LedgerUnavailable>
    /** Repositories that are crowded (`isCrowded`), at most `limit`, those of one Project beside each other. */
    readonly crowded: (limit: number) => Effect.Effect<ReadonlyArray<RepositoryRef>, LedgerUnavailable>
    /** Which of these objects of a Project are no litter: some pack names them, or they wait in the trash. */
    readonly kept: (
      projectId: string,
      objects: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, LedgerUnavailable>
    /** What has waited in the trash for `Limits.packGraceMs`, at most `limit`. It stays there. */
    readonly dueTrash: (limit: number) => Effect.Effect<ReadonlyArray<TrashedObject>, LedgerUnavailable>
    /** Takes out of the trash what was deleted. */
    readonly forgetTrash: (objects: ReadonlyArray<TrashedObject>) => Effect.Effect<void, LedgerUnavailable>
  }
>()("@pawl/core/project/PackLog") {}
