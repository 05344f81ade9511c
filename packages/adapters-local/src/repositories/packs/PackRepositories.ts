/**
 * `Repositories` that need no disk: the log of packs is what they are, and git works on copies of this machine, which may
 * be lost at any moment. Before a call its copies are brought to where the log is; after it what is new is handed on.
 */
import { resolve } from "node:path"
import { type Context, Effect, Layer, type Scope, Stream } from "effect"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import type { PackLog } from "@pawl/core/project/PackLog"
import {
  type DiffText,
  type FileText,
  ObjectNotFound,
  type Repositories,
  type RepositoriesUnavailable,
  type RepositoryRef
} from "@pawl/core/project/Repositories"
import { LocalLimits } from "../../LocalLimits.ts"
import { type GitParts, type GitPorts, parts as gitParts, ports } from "../GitRepositories.ts"
import * as CacheFolder from "./CacheFolder.ts"
import { compact } from "./Compaction.ts"
import type { CopyParts } from "./Copies.ts"
import { brought, loggedMain, reading } from "./CopyReads.ts"
import { dropping, writing } from "./CopyWrites.ts"
import * as PackSource from "./PackSource.ts"
import { pushesOn, statementsOn, transportOn } from "./PackTransport.ts"

type Service = typeof Repositories.Service

/** A text that is read later: what is not in memory already is read from copies as they are then. */
const later = <A extends FileText | DiffText>(parts: CopyParts, ref: RepositoryRef, text: A): A =>
  text.sizeBytes <= LocalLimits.diffKeptBytes
    ? text
    : { ...text, pieces: Stream.unwrap(Effect.as(brought(parts, [ref]), text.pieces)) }

const reads = (
  parts: CopyParts,
  git: Service
): Omit<Service, "seed" | "begin" | "fork" | "commit" | "merge" | "commitTree" | "advance" | "compact" | "remove"> => {
  const read = reading(parts)
  return {
    resolve: (ref, commit) => read([ref], git.resolve(ref, commit)),
    parents: (ref, commit) => read([ref], git.parents(ref, commit)),
    mergeFile: (ref, contents) => read([ref], git.mergeFile(ref, contents)),
    main: (project) =>
      Effect.flatMap(loggedMain(parts, project), (main) =>
        main === null
          ? new ObjectNotFound({ what: "commit", id: "main" })
          : read([{ project }], git.resolve({ project }, main))
      ),
    list: (ref, tree) => read([ref], git.list(ref, tree)),
    read: (ref, tree, path) => read([ref], git.read(ref, tree, path)),
    open: (ref, tree, path) => Effect.map(read([ref], git.open(ref, tree, path)), (text) => later(parts, ref, text)),
    files: (ref, tree) => read([ref], git.files(ref, tree)),
    diff: (ref, from, to, within) => read([ref], git.diff(ref, from, to, within)),
    diffText: (ref, from, to, within) =>
      Effect.map(read([ref], git.diffText(ref, from, to, within)), (text) => ({
        ...later(parts, ref, text),
        changes: read([ref], text.changes)
      }))
  }
}

const writes = (
  parts: CopyParts,
  git: Service
): Pick<Service, "seed" | "begin" | "fork" | "commit" | "merge" | "commitTree" | "advance" | "compact" | "remove"> => {
  const write = writing(parts)
  return {
    seed: (options) => write({ project: options.project }, [], git.seed(options)),
    begin: (options) => write({ project: options.project }, [], git.begin(options)),
    advance: (options) => write({ project: options.project }, [options.from], git.advance(options)),
    fork: (ref, keeping) => write(ref, [], git.fork(ref, keeping)),
    commit: (options) => write(options.into, options.from ?? [], git.commit(options)),
    merge: (options) =>
      write(options.into, [...(options.from ?? []), ...options.commits.map(({ from }) => from)], git.merge(options)),
    commitTree: (options) => write(options.into, [], git.commitTree(options)),
    compact: (ref) => compact(parts, ref),
    remove: dropping(parts)
  }
}

/** How the copies are kept. */
export interface PackOptions {
  /** Where this process makes a folder for its copies. */
  readonly directory: string
  /** About how many bytes they may take. Default: `LocalLimits.cacheBytes`. */
  readonly cacheBytes?: number
}

const make = Effect.fnUntraced(function* ({
  cacheBytes = LocalLimits.cacheBytes,
  directory
}: PackOptions): Effect.fn.Return<
  Context.Context<GitPorts>,
  RepositoriesUnavailable,
  Scope.Scope | PackLog | ObjectStore
> {
  const root = yield* CacheFolder.open(resolve(directory))
  const git: GitParts = yield* gitParts(root, { keeping: "passing", rollsUp: false, shared: false })
  const cache = CacheFolder.make({ root, maxBytes: cacheBytes, readers: git.readers })
  const parts: CopyParts = { cache, readers: git.readers, source: yield* PackSource.make }
  const repositories = { ...reads(parts, git.repositories), ...writes(parts, git.repositories) }
  const transport = transportOn(parts, git.transport)
  const pushes = pushesOn(parts, git.pushes)
  const statements = statementsOn(parts, git.statements)
  const place = { root, brought: (refs: ReadonlyArray<RepositoryRef>) => Effect.asVoid(brought(parts, refs)) }
  return ports({ repositories, transport, pushes, statements }, place)
})

/** Repositories over the log of packs. Any number of processes, on any machines, may work on one log. */
export const layer = (options: PackOptions): Layer.Layer<GitPorts, RepositoriesUnavailable, PackLog | ObjectStore> =>
  Layer.effectContext(make(options))
