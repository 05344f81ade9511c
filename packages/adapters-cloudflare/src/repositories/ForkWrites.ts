/** What is written into forks: edits, merges, commits of a given tree. */
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { applyEdits, checkTree } from "@pawl/core/project/Edits"
import {
  type FileEdits,
  type InvalidPath,
  ObjectNotFound,
  type Repositories,
  type TreeTooLarge
} from "@pawl/core/project/Repositories"
import { mergeCommits } from "./CommitMerge.ts"
import { gitObject } from "./GitObject.ts"
import type { HeldRepositories } from "./HeldRepositories.ts"
import { type Bench, type Others, writing } from "./RepositoryWrite.ts"
import { commitOf, type Files, treeOf, type TreeFile } from "./Tree.ts"

type Service = typeof Repositories.Service
type Forked = Parameters<Service["merge"]>[0]["into"]

/** The files after the edits. Each that is new brings its object. */
export const edited = (files: Files, edits: FileEdits): Result.Result<Files, InvalidPath | TreeTooLarge> =>
  applyEdits<TreeFile>(files, edits, (bytes, replaced) => {
    const object = gitObject("blob", bytes)
    return { id: object.id, size: bytes.length, executable: replaced?.executable ?? false, object }
  })

const missing = (what: string, id: string) => Result.fail(new ObjectNotFound({ what, id }))

/** A base that is there, or is fetched from one of the forks that are named. */
const based = (
  bench: Bench,
  others: Others,
  from: ReadonlyArray<Forked | { readonly project: string }>,
  base: string
) => {
  if (bench.get(base) === undefined)
    for (const ref of from) {
      const there = others(ref)
      if (there?.get(base)?.type === "commit" && bench.fetch(there, base)) break
    }
  return commitOf(bench, base)
}

const withContents = (files: Files, contents: ReadonlyMap<string, Uint8Array>) =>
  edited(
    files,
    Object.fromEntries(Array.from(contents, ([path, bytes]) => [path, { base64: Base64.encode(bytes) }] as const))
  )

const merging =
  ({ base, commits, from: others = [], signature }: Parameters<Service["merge"]>[0]) =>
  (bench: Bench, lines: Others) =>
    Result.gen(function* () {
      let tip = { commit: base, tree: (yield* based(bench, lines, others, base)).tree }
      for (const { commit, contents = new Map<string, Uint8Array>(), from, message } of commits) {
        const line = from.fork === undefined ? null : lines(from)
        if (line?.get(commit)?.type === "commit" && !bench.fetch(line, commit)) return yield* missing("commit", commit)
        const merged = yield* mergeCommits(bench, tip.commit, commit, contents)
        if (merged === "contained") continue
        const files = contents.size === 0 ? merged : yield* withContents(merged, contents)
        yield* checkTree(files)
        tip = bench.commit(files, { parents: [tip.commit, commit], message, signature })
      }
      return tip
    })

/** The methods of the port that write into forks. */
export const forkWrites = (held: HeldRepositories): Pick<Service, "fork" | "commit" | "merge" | "commitTree"> => ({
  fork: (ref) =>
    Effect.gen(function* () {
      if (!(yield* held.open(ref))) return yield* new ObjectNotFound({ what: "repository", id: ref.project })
    }),
  commit: ({ base, edits, from = [], into, message, signature }) =>
    writing(held, into, from, (bench, lines) =>
      Result.gen(function* () {
        const { tree } = yield* based(bench, lines, from, base)
        const { files } = yield* treeOf(bench, tree)
        return bench.commit(yield* edited(files, edits), { parents: [base], message, signature })
      })
    ),
  merge: (options) =>
    writing(
      held,
      options.into,
      [...(options.from ?? []), ...options.commits.map(({ from }) => from)],
      merging(options)
    ),
  commitTree: ({ into, message, parents, signature, tree }) =>
    writing(held, into, [], (bench) =>
      Result.gen(function* () {
        if (bench.get(tree)?.type !== "tree") return yield* missing("tree", tree)
        for (const parent of parents) yield* commitOf(bench, parent)
        return bench.commitTree({ tree, parents, message, signature })
      })
    )
})
