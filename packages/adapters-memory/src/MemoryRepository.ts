/** Repositories as maps: what a repository in memory holds, and how its trees are made, merged and told apart. */
import { Effect, Result } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { canonicalJson, sha256 } from "@pawl/core/primitives/Digest"
import { applyEdits, directoriesOf } from "@pawl/core/project/Edits"
import { type FileDiff, type FileEdits, MergeConflict, ObjectNotFound } from "@pawl/core/project/Repositories"
import type { CommitRef, RepositoryRef, Signature, TreeEntry } from "@pawl/core/project/Repositories"
import { fileDiff } from "./TextDiff.ts"

/** One file of a tree. `id` is the first 40 hex characters of the SHA-256 of its bytes; `size` is in bytes. */
export interface File {
  readonly id: string
  readonly size: number
  readonly content: Uint8Array
}
/** A tree, by path from the root, without a slash in front. */
export type Files = ReadonlyMap<string, File>
interface Commit extends CommitRef {
  readonly parents: ReadonlyArray<string>
}
/** What one repository holds by itself. A fork sees canonical's too. */
export interface Repository {
  readonly commits: Map<string, Commit>
  readonly trees: Map<string, Files>
}
/** The repositories of one Project. `main` is a commit; `canon` and `main` are absent until they are made. */
export interface ProjectState {
  canon?: Repository
  main?: string
  readonly forks: Map<string, Repository>
}

const copiedRepository = ({ commits, trees }: Repository): Repository => ({
  commits: new Map(commits),
  trees: new Map(trees)
})

const copied = ({ canon, forks, main }: ProjectState): ProjectState => ({
  ...(canon === undefined ? {} : { canon: copiedRepository(canon) }),
  ...(main === undefined ? {} : { main }),
  forks: new Map(Array.from(forks, ([fork, repository]) => [fork, copiedRepository(repository)]))
})

/** A repository without commits. */
export const emptyRepository = (): Repository => ({ commits: new Map(), trees: new Map() })
const objectId = (value: unknown) => Effect.map(sha256(canonicalJson(value)), (digest) => digest.slice(0, 40))

const hashed = (files: ReadonlyMap<string, Omit<File, "id"> & { readonly id: string | undefined }>) =>
  Effect.map(
    Effect.forEach(files, ([path, { content, id, size }]) =>
      id === undefined
        ? Effect.map(sha256(content), (digest): [string, File] => [path, { id: digest.slice(0, 40), size, content }])
        : Effect.succeed<[string, File]>([path, { id, size, content }])
    ),
    (entries): Files => new Map(entries.sort(([a], [b]) => compareCodePoints(a, b)))
  )

/** A tree with edits put on it. Fails with what `applyEdits` refuses. */
export const edited = (base: Files, edits: FileEdits) =>
  Effect.flatMap(
    Effect.fromResult(
      applyEdits<Omit<File, "id"> & { readonly id: string | undefined }>(base, edits, (content) => ({
        id: undefined,
        size: content.length,
        content
      }))
    ),
    hashed
  )

const treeId = (files: Files) => objectId(["tree", [...files].map(([path, { id }]) => [path, id])])

/** The three-way merge of whole files; paths of `settled` are in no conflict. */
export const mergeFiles = (
  base: Files,
  ours: Files,
  theirs: Files,
  settled: { has(path: string): boolean } = new Set()
): Result.Result<Files, MergeConflict> => {
  const merged = new Map<string, File>()
  const conflicts: Array<string> = []
  for (const path of new Set([...ours.keys(), ...theirs.keys(), ...base.keys()])) {
    const [b, o, t] = [base.get(path), ours.get(path), theirs.get(path)]
    const chosen = o?.id === t?.id || t?.id === b?.id ? o : o?.id === b?.id ? t : null
    if (chosen === null) {
      if (!settled.has(path)) conflicts.push(path)
    } else if (chosen !== undefined) merged.set(path, chosen)
  }
  const directories = directoriesOf(merged.keys())
  for (const path of merged.keys()) if (directories.has(path)) conflicts.push(path)
  if (conflicts.length > 0) return Result.fail(new MergeConflict({ paths: conflicts.sort(compareCodePoints) }))
  return Result.succeed(new Map([...merged].sort(([a], [b]) => compareCodePoints(a, b))))
}

/** One program's repositories. */
export class Repos {
  readonly projects: Map<string, ProjectState>

  /** Empty, or a copy: what is done with one shows in no other. */
  constructor(from?: Repos) {
    this.projects = new Map(Array.from(from?.projects ?? [], ([project, state]) => [project, copied(state)]))
  }

  /** The repository and those it borrows from, nearest first. */
  line(ref: RepositoryRef): Effect.Effect<ReadonlyArray<Repository>, ObjectNotFound> {
    return Effect.suspend(() => {
      const project = this.projects.get(ref.project)
      const own = ref.fork === undefined ? project?.canon : project?.forks.get(ref.fork)
      if (own === undefined) return new ObjectNotFound({ what: "repository", id: ref.fork ?? ref.project })
      return Effect.succeed(ref.fork === undefined || project?.canon === undefined ? [own] : [own, project.canon])
    })
  }

  commit(line: ReadonlyArray<Repository>, id: string): Effect.Effect<Commit, ObjectNotFound> {
    return Effect.suspend(() => {
      const found = line.map((repository) => repository.commits.get(id)).find((commit) => commit !== undefined)
      return found === undefined ? new ObjectNotFound({ what: "commit", id }) : Effect.succeed(found)
    })
  }

  tree(line: ReadonlyArray<Repository>, id: string): Effect.Effect<Files, ObjectNotFound> {
    return Effect.suspend(() => {
      const found = line.map((repository) => repository.trees.get(id)).find((tree) => tree !== undefined)
      return found === undefined ? new ObjectNotFound({ what: "tree", id }) : Effect.succeed(found)
    })
  }

  /** Copies all that a repository holds into another. */
  fetch(from: RepositoryRef, into: Repository): Effect.Effect<void, ObjectNotFound> {
    return Effect.map(this.line(from), ([source]) => {
      for (const [id, commit] of source?.commits ?? []) into.commits.set(id, commit)
      for (const [id, tree] of source?.trees ?? []) into.trees.set(id, tree)
    })
  }

  /** All commits that a commit was made of, itself first, nearest first. */
  ancestors(line: ReadonlyArray<Repository>, id: string): Effect.Effect<ReadonlyArray<string>, ObjectNotFound> {
    return Effect.gen({ self: this }, function* () {
      const found = new Set([id])
      for (const next of found) for (const parent of (yield* this.commit(line, next)).parents) found.add(parent)
      return [...found]
    })
  }
}

/** Stores a commit and its tree in a repository. The same content gives the same ids. */
export const record = Effect.fnUntraced(function* (
  into: Repository,
  options: {
    readonly files: Files
    readonly parents: ReadonlyArray<string>
    readonly message: string
    readonly signature: Signature
  }
): Effect.fn.Return<CommitRef> {
  const tree = yield* treeId(options.files)
  const { message, parents, signature } = options
  const commit = yield* objectId([
    "commit",
    tree,
    parents,
    message,
    { ...signature, atMs: Math.floor(signature.atMs / 1000) }
  ])
  into.trees.set(tree, options.files)
  into.commits.set(commit, { commit, tree, parents })
  return { commit, tree }
})

/** The files that differ between two trees, in path order. */
export const diffFiles = (before: Files, after: Files): ReadonlyArray<FileDiff> => {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort(compareCodePoints)
  return paths.flatMap((path) => {
    const [from, to] = [before.get(path), after.get(path)]
    return from?.id === to?.id ? [] : [fileDiff(path, from?.content, to?.content)]
  })
}

/** All entries of a tree, directories too, in path order. */
export const listing = Effect.fnUntraced(function* (files: Files): Effect.fn.Return<ReadonlyArray<TreeEntry>> {
  const entries: Array<TreeEntry> = []
  for (const [path, { id, size }] of files) entries.push({ path, type: "file", id, size, executable: false })
  for (const path of directoriesOf(files.keys())) {
    const inside = [...files].filter(([file]) => file.startsWith(`${path}/`))
    const id = yield* treeId(new Map(inside.map(([file, value]) => [file.slice(path.length + 1), value])))
    entries.push({ path, type: "directory", id, size: 0, executable: false })
  }
  return entries.sort((a, b) => compareCodePoints(a.path, b.path))
})
