/** What commits are made of, as this process has read or written it: a commit never changes. */
import { Effect } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../LocalLimits.ts"
import type { GitReaders } from "./GitReaders.ts"

/** The tree of a commit, and the commits that it was made of. */
export interface CommitLinks {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
}

/** Commits by their id. What is known of one does not say that a repository has it. */
export interface KnownCommits {
  readonly add: (id: string, links: CommitLinks) => void
  /** Undefined where nothing is known of it and the repository has no such commit. */
  readonly of: (gitDir: string, id: string) => Effect.Effect<CommitLinks | undefined, RepositoriesUnavailable>
}

const linksOf = (body: Uint8Array): CommitLinks | undefined => {
  const [first = "", ...lines] = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1").split("\n")
  const tree = /^tree ([0-9a-f]{40})$/.exec(first)?.[1]
  const end = lines.findIndex((line) => !line.startsWith("parent "))
  const parents = lines.slice(0, end < 0 ? undefined : end).map((line) => line.slice("parent ".length))
  return tree === undefined ? undefined : { tree, parents }
}

/** Keeps at most `LocalLimits.gitKnownCommits`. */
export const make = (readers: GitReaders): KnownCommits => {
  // In order of arrival: the oldest is forgotten, and read again when it is asked for.
  const known = new Map<string, CommitLinks>()
  const add: KnownCommits["add"] = (id, links) => {
    known.set(id, links)
    for (const oldest of known.keys()) {
      if (known.size <= LocalLimits.gitKnownCommits) break
      known.delete(oldest)
    }
  }
  return {
    add,
    of: (gitDir, id) =>
      Effect.suspend(() => {
        const there = known.get(id)
        if (there !== undefined) return Effect.succeed(there)
        return Effect.map(readers.contents(gitDir, id, Limits.sourceFileBytes), (found) => {
          const links = found?.type === "commit" ? linksOf(found.body) : undefined
          if (links !== undefined) add(id, links)
          return links
        })
      })
  }
}
