/** Repositories in a folder of their own, and git itself beside them to plant what Pawl would never write. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { Repositories, type RepositoryRef } from "@pawl/core/project/Repositories"
import { layer } from "../../src/repositories/GitRepositories.ts"

export interface RepositoryFixture {
  readonly directory: string
  readonly run: <A, E>(use: (repositories: typeof Repositories.Service) => Effect.Effect<A, E>) => Promise<A>
  readonly gitDir: (ref: RepositoryRef) => string
  /** The trimmed standard output of git on a repository. */
  readonly git: (ref: RepositoryRef, args: ReadonlyArray<string>, input?: string | Uint8Array) => string
  /** A commit of a tree made of `mktree` lines, on a parent. */
  readonly plant: (
    ref: RepositoryRef,
    lines: ReadonlyArray<string | Uint8Array>,
    parent: string
  ) => { readonly commit: string; readonly tree: string }
}

export const repositoryFixture = (): (() => RepositoryFixture) => {
  const root = mkdtempSync(join(tmpdir(), "repositories-"))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  let count = 0
  return () => {
    const directory = join(root, `${count++}`)
    const gitDir = ({ fork, project }: RepositoryRef) =>
      join(directory, project.slice(5, 7), project, ...(fork === undefined ? ["canon.git"] : ["forks", `${fork}.git`]))
    const git = (ref: RepositoryRef, args: ReadonlyArray<string>, input: string | Uint8Array = "") =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", `--git-dir=${gitDir(ref)}`, ...args], {
        input,
        encoding: "utf8",
        stdio: ["pipe", "pipe", "pipe"]
      }).trim()
    return {
      directory,
      gitDir,
      git,
      run: (use) => Effect.runPromise(Effect.provide(Effect.flatMap(Repositories, use), layer({ directory }))),
      plant: (ref, lines, parent) => {
        const tree = git(
          ref,
          ["mktree", "-z"],
          Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from([0])]))
        )
        return { tree, commit: git(ref, ["commit-tree", tree, "-p", parent], "planted") }
      }
    }
  }
}
