/** `Repositories` in memory: whole files by path, merges by file. For tests and for trying rules without git. */
import { Effect, Layer, Stream } from "effect"
import { Base64 } from "effect/encoding"
import { sameBytes, utf8 } from "@pawl/core/primitives/Digest"
import { checkTree } from "@pawl/core/project/Edits"
import {
  diffFiles,
  edited,
  emptyRepository,
  type File,
  listing,
  mergeFiles,
  type ProjectState,
  record,
  Repos,
  type Repository
} from "./MemoryRepository.ts"
import { isWithin, pathProblem } from "@pawl/core/project/Paths"
import {
  type CommitRef,
  InvalidPath,
  NotFastForward,
  ObjectNotFound,
  Repositories,
  type RepositoryRef
} from "@pawl/core/project/Repositories"

type Service = typeof Repositories.Service

const own = (repos: Repos, ref: RepositoryRef) =>
  Effect.flatMap(repos.line(ref), ([repository]) =>
    repository === undefined ? new ObjectNotFound({ what: "repository", id: ref.project }) : Effect.succeed(repository)
  )

interface BaseOf {
  readonly line: ReadonlyArray<Repository>
  readonly repository: Repository
  readonly base: string
  readonly from: ReadonlyArray<RepositoryRef>
}

/** A base in the line of a fork, or else in one of the forks in `from`, which are then fetched. */
const baseIn = (repos: Repos, { base, from, line, repository }: BaseOf) =>
  repos.commit(line, base).pipe(
    Effect.catch((missing) =>
      Effect.forEach(from, (ref) => Effect.ignore(repos.fetch(ref, repository))).pipe(
        Effect.andThen(repos.commit(line, base)),
        Effect.mapError(() => missing)
      )
    )
  )

const makeForks = (repos: Repos): Pick<Service, "fork" | "commit" | "merge" | "commitTree"> => ({
  fork: (ref) =>
    Effect.map(repos.line({ project: ref.project }), () => {
      const forks = repos.projects.get(ref.project)?.forks
      if (forks?.has(ref.fork) === false) forks.set(ref.fork, emptyRepository())
    }),
  commit: ({ base, edits, from, into, message, signature }) =>
    Effect.gen(function* () {
      const line = yield* repos.line(into)
      const repository = yield* own(repos, into)
      const parent = yield* baseIn(repos, { line, repository, base, from: from ?? [] })
      const files = yield* edited(yield* repos.tree(line, parent.tree), edits)
      return yield* record(repository, { files, parents: [parent.commit], message, signature })
    }),
  merge: ({ base, commits, from: others, into, signature }) =>
    Effect.gen(function* () {
      const line = yield* repos.line(into)
      const repository = yield* own(repos, into)
      let tip: CommitRef = yield* baseIn(repos, { line, repository, base, from: others ?? [] })
      for (const { commit, contents, from, message } of commits) {
        if (from.fork !== undefined) yield* Effect.ignore(repos.fetch(from, repository))
        const theirs = yield* repos.commit(line, commit)
        const ours = new Set(yield* repos.ancestors(line, tip.commit))
        if (ours.has(commit)) continue
        const shared = (yield* repos.ancestors(line, commit)).find((id) => ours.has(id))
        const ancestor =
          shared === undefined
            ? new Map<string, File>()
            : yield* repos.tree(line, (yield* repos.commit(line, shared)).tree)
        const merged = yield* Effect.fromResult(
          mergeFiles(ancestor, yield* repos.tree(line, tip.tree), yield* repos.tree(line, theirs.tree), contents)
        )
        const edits = [...(contents ?? [])].map(([path, bytes]) => [path, { base64: Base64.encode(bytes) }] as const)
        const files = edits.length === 0 ? merged : yield* edited(merged, Object.fromEntries(edits))
        yield* Effect.fromResult(checkTree(files))
        tip = yield* record(repository, { files, parents: [tip.commit, commit], message, signature })
      }
      return { commit: tip.commit, tree: tip.tree }
    }),
  commitTree: ({ into, message, parents, signature, tree }) =>
    Effect.gen(function* () {
      const line = yield* repos.line(into)
      const files = yield* repos.tree(line, tree)
      yield* Effect.forEach(parents, (parent) => repos.commit(line, parent))
      return yield* record(yield* own(repos, into), { files, parents, message, signature })
    })
})

const makeCanonical = (repos: Repos): Pick<Service, "seed" | "begin" | "main" | "advance" | "compact" | "remove"> => ({
  seed: ({ files, message, project, signature }) =>
    Effect.gen(function* () {
      const content = yield* edited(new Map(), files)
      const state: ProjectState = repos.projects.get(project) ?? { forks: new Map() }
      const canon = (state.canon ??= emptyRepository())
      repos.projects.set(project, state)
      return yield* record(canon, { files: content, parents: [], message, signature })
    }),
  begin: ({ commit, project }) =>
    Effect.gen(function* () {
      const line = yield* repos.line({ project })
      yield* repos.commit(line, commit)
      const now = repos.projects.get(project)?.main
      if (now !== undefined) {
        const before = yield* repos.ancestors(line, now)
        if (before.includes(commit)) return
        if (before.length > 1) return yield* new NotFastForward({ from: now, to: commit })
      }
      const state = repos.projects.get(project)
      if (state?.main !== now) return yield* new NotFastForward({ from: state?.main ?? "", to: commit })
      if (state !== undefined) state.main = commit
    }),
  main: (project) =>
    Effect.flatMap(repos.line({ project }), (line) => repos.commit(line, repos.projects.get(project)?.main ?? "")).pipe(
      Effect.map(({ commit, tree }) => ({ commit, tree }))
    ),
  advance: ({ commit, expected, from, project }) =>
    Effect.gen(function* () {
      const canon = yield* own(repos, { project })
      const state = repos.projects.get(project)
      if (state?.main === commit) return
      const forward = (yield* repos.ancestors(yield* repos.line(from), commit)).includes(expected)
      yield* repos.fetch(from, canon)
      // From here to the end nothing else runs: of many at once one finds what it expects.
      if (!forward || state?.main !== expected)
        return yield* new NotFastForward({ from: state?.main ?? "", to: commit })
      state.main = commit
    }),
  compact: (ref) => Effect.asVoid(own(repos, ref)),
  remove: (ref) =>
    Effect.sync(() => {
      const project = repos.projects.get(ref.project)
      if (project === undefined) return
      if (ref.fork !== undefined) project.forks.delete(ref.fork)
      else {
        delete project.canon
        delete project.main
        project.forks.clear()
      }
    })
})

const makeAuditing = (repos: Repos): Pick<Service, "parents" | "mergeFile"> => ({
  parents: (ref, commit) =>
    Effect.map(
      Effect.flatMap(repos.line(ref), (line) => repos.commit(line, commit)),
      ({ parents }) => parents
    ),
  mergeFile: (ref, { base, ours, theirs }) =>
    Effect.as(
      repos.line(ref),
      sameBytes(ours, theirs) || sameBytes(theirs, base) ? ours : sameBytes(ours, base) ? theirs : null
    )
})

const inPieces = (bytes: Uint8Array) => ({
  sizeBytes: bytes.length,
  pieces: bytes.length === 0 ? Stream.empty : Stream.make(bytes)
})

const makeReading = (
  repos: Repos
): Pick<Service, "resolve" | "list" | "read" | "open" | "files" | "diff" | "diffText"> => {
  const lookup = (ref: RepositoryRef, tree: string) => Effect.flatMap(repos.line(ref), (line) => repos.tree(line, tree))
  const treeOf = (ref: RepositoryRef, id: string) =>
    Effect.flatMap(repos.line(ref), (line) =>
      repos.commit(line, id).pipe(
        Effect.flatMap(({ tree }) => repos.tree(line, tree)),
        Effect.catch(() => repos.tree(line, id))
      )
    )
  const read: Service["read"] = (ref, tree, path) =>
    Effect.gen(function* () {
      const reason = pathProblem(path)
      if (reason !== undefined) return yield* new InvalidPath({ path, reason })
      const file = (yield* lookup(ref, tree)).get(path)
      return file === undefined ? yield* new ObjectNotFound({ what: "path", id: path }) : file.content
    })
  const diff = (ref: RepositoryRef, from: string, to: string, within?: string) =>
    Effect.map(Effect.all([treeOf(ref, from), treeOf(ref, to)]), ([before, after]) =>
      diffFiles(before, after).filter(({ path }) => within === undefined || isWithin(path, within))
    )

  return {
    resolve: (ref, commit) =>
      Effect.map(
        Effect.flatMap(repos.line(ref), (line) => repos.commit(line, commit)),
        ({ tree }) => ({ commit, tree })
      ),
    list: (ref, tree) => Effect.flatMap(lookup(ref, tree), listing),
    read,
    open: (ref, tree, path) => Effect.map(read(ref, tree, path), inPieces),
    files: (ref, tree) =>
      Effect.map(
        lookup(ref, tree),
        (files) => new Map([...files].map(([path, { content }]) => [path, { content, executable: false }]))
      ),
    diff,
    diffText: (ref, from, to, within) =>
      Effect.map(diff(ref, from, to, within), (files) => {
        return {
          ...inPieces(utf8(files.map(({ patch }) => patch).join(""))),
          changes: Effect.succeed(files.map(({ patch: _, ...change }) => change))
        }
      })
  }
}

/** `Repositories` over some that are there. */
export const makeMemoryRepositories = (repos: Repos): Service => ({
  ...makeForks(repos),
  ...makeCanonical(repos),
  ...makeAuditing(repos),
  ...makeReading(repos)
})

/** Fresh repositories in memory. Only the commits' ids differ from git's, and two edits of one file always conflict. */
export const layerMemory: Layer.Layer<Repositories> = Layer.sync(Repositories, () =>
  makeMemoryRepositories(new Repos())
)
