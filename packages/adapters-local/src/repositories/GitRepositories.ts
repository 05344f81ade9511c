/**
 * `Repositories` on the git command line. Canonical is a bare repository; a fork is a skeleton that borrows
 * canonical's objects and nobody else's. Writing is one process at a time per Project: one owner of the folder.
 */
import { join, resolve } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { pathProblem } from "@pawl/core/project/Paths"
import { checkTree } from "@pawl/core/project/Edits"
import {
  InvalidPath,
  Repositories,
  RepositoriesUnavailable,
  type RepositoryRef,
  type TreeTooLarge
} from "@pawl/core/project/Repositories"
import type { Keeping } from "@pawl/core/ledger/Commit"
import { makeDirectory } from "../objects/DurableFile.ts"
import * as GitCanonical from "./GitCanonical.ts"
import { diffFiles, diffText } from "./GitDiff.ts"
import { io } from "./GitFolder.ts"
import * as GitForks from "./GitForks.ts"
import { mergeFile } from "./GitFileMerge.ts"
import { lookupCommit, lookupFile, openFile, lookupParents, lookupType, present } from "./GitLookup.ts"
import { GitPlace } from "./GitPlace.ts"
import * as GitReaders from "./GitReaders.ts"
import { receive } from "./transport/GitPush.ts"
import { serve, sweepServing } from "./transport/GitFetch.ts"
import { GitStatements, publishStatements } from "./transport/GitStatements.ts"
import { GitTransport } from "./transport/GitTransport.ts"
import { PushReceiver } from "./transport/PushReceiver.ts"
import { entriesOf, type Tree } from "./GitTree.ts"
import * as GitWriter from "./GitWriter.ts"
import * as KnownTrees from "./KnownTrees.ts"
import * as ProjectLocks from "./locks/ProjectLocks.ts"
import { type RepositoryPath, repositoryPath } from "./RepositoryPath.ts"
import * as SharedProjectLocks from "./locks/SharedProjectLocks.ts"

/** A tree that Pawl would not have written cannot be handed out: it did not come from here. */
const foreign = (error: InvalidPath) =>
  new RepositoriesUnavailable({
    operation: "ls-tree",
    reason: `the tree holds a path that Pawl refuses: ${error.reason}`
  })

interface FoundTree {
  readonly path: RepositoryPath
  readonly tree: Tree
}

/** The bytes of all files of a tree. */
const allFiles = Effect.fnUntraced(function* (readers: GitReaders.GitReaders, { path, tree: found }: FoundTree) {
  yield* Effect.catchTag(Effect.fromResult(checkTree(found.files)), "InvalidPath", foreign)
  const ids = [...new Set([...found.files.values()].map((file) => file.id))]
  const blobs = yield* readers.allContents(path.gitDir, ids, Limits.sourceFileBytes)
  const byId = new Map(ids.map((blob, index) => [blob, blobs[index]?.body]))
  const files = new Map<string, { readonly content: Uint8Array; readonly executable: boolean }>()
  for (const [name, { executable, id: blob }] of found.files) {
    const content = byId.get(blob)
    if (content === undefined)
      return yield* new RepositoriesUnavailable({ operation: "read", reason: `object ${blob} is not there` })
    files.set(name, { content, executable })
  }
  return files
})

const writing = (writer: GitWriter.GitWriter) => ({
  seed: GitCanonical.seed(writer),
  begin: GitCanonical.begin(writer),
  advance: GitCanonical.advance(writer),
  compact: GitCanonical.compact(writer),
  fork: GitForks.fork(writer),
  commit: GitForks.commit(writer),
  merge: GitForks.merge(writer),
  commitTree: GitForks.commitTree(writer),
  remove: GitForks.remove(writer)
})

/** The ports that repositories of git's provide. */
export type GitPorts = Repositories | GitTransport | PushReceiver | GitStatements | GitPlace

/** What works on one folder of repositories. */
export interface GitParts {
  readonly repositories: typeof Repositories.Service
  readonly transport: typeof GitTransport.Service
  readonly pushes: typeof PushReceiver.Service
  readonly statements: typeof GitStatements.Service
  readonly readers: GitReaders.GitReaders
}

/**
 * All parts on the folder `root`. `shared`: other processes of this machine write in it too, so that locks are files.
 * `rollsUp`: canonical's packs are joined as they become many. `keeping`: whether what is written outlasts a power cut.
 */
export const parts = Effect.fnUntraced(function* (
  root: string,
  { keeping, rollsUp, shared }: { readonly keeping: Keeping; readonly rollsUp: boolean; readonly shared: boolean }
): Effect.fn.Return<GitParts, RepositoriesUnavailable, Scope.Scope> {
  const lockFolder = join(root, ".locks")
  yield* io("open", () => makeDirectory(root))
  if (shared) yield* io("open", () => makeDirectory(lockFolder))
  const queues = ProjectLocks.make()
  const locks = shared ? SharedProjectLocks.make(queues, lockFolder) : queues
  const readers = yield* GitReaders.make
  const known = KnownTrees.make(readers)
  const writer = GitWriter.make({ root, readers, known, locks, rollsUp, keeping })
  yield* io("sweep", () => sweepServing(root, shared))

  const opened = (ref: RepositoryRef) => Effect.tap(repositoryPath(root, ref), present)
  const tree = Effect.fnUntraced(function* (ref: RepositoryRef, id: string) {
    const path = yield* opened(ref)
    yield* lookupType(readers, path, ["tree"], id)
    return { path, tree: yield* Effect.catchTag(known.list(path.gitDir, id), "InvalidPath", foreign) }
  })
  const at = Effect.fnUntraced(function* (ref: RepositoryRef, file: string) {
    const reason = pathProblem(file)
    if (reason !== undefined) return yield* new InvalidPath({ path: file, reason })
    return yield* opened(ref)
  })
  const comparing = Effect.fnUntraced(function* <A>(
    ref: RepositoryRef,
    from: string,
    to: string,
    compare: (gitDir: string) => Effect.Effect<A, TreeTooLarge | RepositoriesUnavailable>
  ) {
    const path = yield* opened(ref)
    for (const id of [from, to]) yield* lookupType(readers, path, ["commit", "tree"], id)
    const guards = [from, to].map((id) => Effect.catchTag(known.guard(path.gitDir, id), "InvalidPath", foreign))
    const [result] = yield* Effect.all([compare(path.gitDir), ...guards], { concurrency: "unbounded" })
    return result
  })

  const repositories: typeof Repositories.Service = {
    ...writing(writer),
    parents: (ref, commit) => Effect.flatMap(opened(ref), (path) => lookupParents(readers, path, commit)),
    mergeFile: (ref, contents) => Effect.flatMap(opened(ref), (path) => mergeFile(path, contents)),
    resolve: (ref, commit) => Effect.flatMap(opened(ref), (path) => lookupCommit(readers, path, commit)),
    main: (project) => Effect.flatMap(opened({ project }), (path) => GitCanonical.main(readers, path)),
    list: (ref, id) => Effect.map(tree(ref, id), (found) => entriesOf(found.tree)),
    read: (ref, id, file) => Effect.flatMap(at(ref, file), (path) => lookupFile(readers, path, id, file)),
    open: (ref, id, file) => Effect.flatMap(at(ref, file), (path) => openFile(readers, path, id, file)),
    files: (ref, id) => Effect.flatMap(tree(ref, id), (found) => allFiles(readers, found)),
    diff: (ref, from, to, within) => comparing(ref, from, to, (gitDir) => diffFiles(gitDir, from, to, within)),
    diffText: (ref, from, to, within) => comparing(ref, from, to, (gitDir) => diffText(gitDir, from, to, within))
  }
  const transport: typeof GitTransport.Service = { serve: serve(root) }
  const pushes: typeof PushReceiver.Service = { receive: receive(writer) }
  return { repositories, transport, pushes, statements: publishStatements(writer), readers }
})

/** The ports of these parts. */
export const ports = (
  { pushes, repositories, statements, transport }: Omit<GitParts, "readers">,
  place: typeof GitPlace.Service
): Context.Context<GitPorts> =>
  Context.make(Repositories, repositories).pipe(
    Context.add(GitTransport, transport),
    Context.add(PushReceiver, pushes),
    Context.add(GitStatements, statements),
    Context.add(GitPlace, place)
  )

/**
 * The repositories under `directory`, which is made when it is not there. Only one process at a time may own it, unless
 * all that use it are of one machine and say `shared`. Needs git 2.38 or newer.
 */
export const layer = (options: {
  readonly directory: string
  readonly shared?: boolean
}): Layer.Layer<GitPorts, RepositoriesUnavailable> =>
  Layer.effectContext(
    Effect.suspend(() => {
      const root = resolve(options.directory)
      return Effect.map(parts(root, { keeping: "lasting", rollsUp: true, shared: options.shared === true }), (all) =>
        ports(all, { root, brought: () => Effect.void })
      )
    })
  )
