/**
 * A write into one repository: it decides on what is at hand, without waiting, and what it made is handed on in one
 * step, with `main` where that moves. Where another was quicker, it decides anew.
 */
import { Effect, type Result } from "effect"
import {
  type CommitRef,
  type ObjectNotFound,
  RepositoriesUnavailable,
  type RepositoryRef
} from "@pawl/core/project/Repositories"
import type { CommitFields } from "@pawl/adapters-local/repositories/CommitText"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { closure } from "./Ancestry.ts"
import { commitObject, type GitObject } from "./GitObject.ts"
import { type HeldRepositories, type Line, tooLarge } from "./HeldRepositories.ts"
import { type Files, type Objects, treeObjects } from "./Tree.ts"

/** What a write decides on, and what it makes. */
export class Bench implements Objects {
  readonly added: Map<string, GitObject> = new Map()
  /** Where `main` is to move from where it is. */
  next: string | null = null
  readonly line: Line
  constructor(line: Line) {
    this.line = line
  }

  get(id: string): GitObject | undefined {
    return this.added.get(id) ?? this.line.get(id)
  }

  get main(): string | null {
    return this.line.own.main
  }

  add(objects: Iterable<GitObject>): void {
    for (const object of objects) if (this.get(object.id) === undefined) this.added.set(object.id, object)
  }

  /** Takes a commit over with all that it needs. False where some of that is missing. */
  fetch(from: Objects, commit: string): boolean {
    const found = closure(from, commit, (id) => this.get(id) !== undefined)
    if (found === null) return false
    this.add(found.values())
    return true
  }

  /** A commit of these files. */
  commit(files: Files, fields: Omit<CommitFields, "tree">): CommitRef {
    const { objects, tree } = treeObjects(files)
    this.add(objects)
    return this.commitTree({ ...fields, tree })
  }

  /** A commit of a tree that is there. */
  commitTree(fields: CommitFields): CommitRef {
    const made = commitObject(fields)
    this.add([made])
    return { commit: made.id, tree: fields.tree }
  }
}

/** Others of a Project, by name; a repository that is not there has no objects. */
export type Others = (ref: RepositoryRef) => Objects | null

const keyOf = ({ fork }: RepositoryRef): string => fork ?? ""

/** Hands on what a write made. False: another was quicker. */
const ship = Effect.fnUntraced(function* (held: HeldRepositories, ref: RepositoryRef, bench: Bench) {
  const { own } = bench.line
  const main = bench.next === null || bench.next === own.main ? null : { from: own.main, to: bench.next }
  if (bench.added.size === 0 && main === null) return true
  // What is too large to be read must not be written.
  const bytes = Array.from(bench.added.values()).reduce((sum, { body }) => sum + body.length, own.bytes)
  if (bytes > CloudflareLimits.repositoryBytes) return yield* tooLarge
  return yield* held.add(ref, bench.line, { objects: bench.added, main })
})

/** Runs a write. It must not keep what it was given. */
export const writing = Effect.fnUntraced(function* <A, E>(
  held: HeldRepositories,
  ref: RepositoryRef,
  others: ReadonlyArray<RepositoryRef>,
  work: (bench: Bench, others: Others) => Result.Result<A, E>
): Effect.fn.Return<A, E | ObjectNotFound | RepositoriesUnavailable> {
  for (let tries = 0; tries < CloudflareLimits.plainPackConflicts; tries++) {
    const bench = new Bench(yield* held.line(ref))
    const beside = new Map<string, Objects | null>()
    for (const other of others)
      beside.set(keyOf(other), yield* Effect.catchTag(held.line(other), "ObjectNotFound", () => Effect.succeed(null)))
    const answer = yield* Effect.fromResult(work(bench, (other) => beside.get(keyOf(other)) ?? null))
    if (yield* ship(held, ref, bench)) return answer
  }
  return yield* new RepositoriesUnavailable({
    operation: "append",
    reason: "others wrote at the same time, again and again"
  })
})
