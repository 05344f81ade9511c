/** What repositories and refs are called on Artifacts. Pure. */
import { utf8 } from "@pawl/core/primitives/Digest"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import { Hex } from "effect/encoding"
import { sha1Of } from "../GitObject.ts"

/**
 * The name of a repository: the name of a fork is longer than `artifactsNameLength`, so it is hashed. A fork of one Project
 * never has the name of another's.
 */
export const repositoryName = ({ fork, project }: RepositoryRef): string =>
  `${fork === undefined ? "pr" : "ws"}-${Hex.encode(sha1Of(utf8(`${project}\n${fork ?? ""}`)))}`

/** The ref that says what is canonical. */
export const mainRef = "refs/heads/main"

/** The ref that keeps a commit. */
export const keepRef = (commit: string): string => `refs/heads/keep/${commit}`

const forks = "refs/heads/forks/"

/** The ref of a canonical repository that says that there is a fork, or soon will be. */
export const forkRef = (name: string): string => `${forks}${name}`

/** The names of forks that a canonical repository knows of. */
export const forksIn = (refs: Iterable<string>): ReadonlyArray<string> =>
  Array.from(refs)
    .filter((ref) => ref.startsWith(forks))
    .map((ref) => ref.slice(forks.length))
