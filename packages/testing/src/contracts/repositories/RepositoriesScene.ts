/** A seeded Project, names for its forks, and short forms of what the tests do to them. */
import { Effect, Stream } from "effect"
import {
  type DiffText,
  type FileEdits,
  type FileText,
  type Repositories,
  type RepositoryRef
} from "@pawl/core/project/Repositories"

/** Runs a test's work on fresh repositories. */
export type Run = <A, E>(use: (repositories: Service) => Effect.Effect<A, E>) => Promise<A>
type Service = typeof Repositories.Service
type Fork = RepositoryRef & { readonly fork: string }

const uuid = (n: number): string => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`
/** The nth Project. */
export const projectId = (n: number): string => `proj_${uuid(n)}`
/** The fork of the nth run of a Project. */
export const workspace = (project: string, n: number): Fork => ({
  project,
  fork: `ws-run_tsk_chg_${uuid(n)}_edit-${n}_1`
})
/** The fork of the nth Candidate of a Project. */
export const candidate = (project: string, n: number): Fork => ({
  project,
  fork: `cand-cand_${n.toString(16).padStart(24, "0")}`
})
/** Who makes every commit here, and when; not on a whole second. */
export const signature = { name: "Pawl", email: "pawl@localhost", atMs: 1_700_000_000_123 }

/** Bytes as UTF-8 text. */
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
/** An id that no object has. */
export const unknownId = "0123456789".repeat(4)

/** The tag of the error that this fails with. */
export const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Effect.Effect<string, A> =>
  Effect.map(Effect.flip(effect), (error) => error._tag)

/** The files of a tree as text. */
export const textFiles = (repositories: Service, ref: RepositoryRef, tree: string) =>
  Effect.map(repositories.files(ref, tree), (files) =>
    Object.fromEntries([...files].map(([path, { content }]) => [path, text(content)]))
  )

/** What a scene is seeded with. */
export const base: FileEdits = { "README.md": "# one\n", "src/a.ts": "a\n", "src/b.ts": "b\n", "src/deep/c.ts": "c\n" }

/** A seeded Project and short forms of what the tests do to it. */
export const scene = Effect.fnUntraced(function* (
  repositories: Service,
  project = projectId(1),
  files: FileEdits = base
) {
  const canon: RepositoryRef = { project }
  const s0 = yield* repositories.seed({ project, files, message: "seed", signature })
  yield* repositories.begin({ project, commit: s0.commit })
  const edit = (into: Fork, from: string, edits: FileEdits, sources: ReadonlyArray<RepositoryRef> = []) =>
    Effect.andThen(
      repositories.fork(into),
      repositories.commit({ into, base: from, from: sources, edits, message: "edit", signature })
    )
  const merge = (into: Fork, onto: string, ...commits: ReadonlyArray<readonly [RepositoryRef, string]>) =>
    Effect.andThen(
      repositories.fork(into),
      repositories.merge({
        into,
        base: onto,
        commits: commits.map(([from, commit]) => ({ from, commit, message: "merge" })),
        signature
      })
    )
  return {
    project,
    canon,
    s0,
    edit,
    merge,
    ws: (n: number) => workspace(project, n),
    cand: (n: number) => candidate(project, n)
  }
})

/** All of a diff or a file, as text. */
export const textOf = ({ pieces }: DiffText | FileText) => Stream.mkString(Stream.decodeText(pieces))
