/** The commit that two sides of a merge were both made of, found in few steps. */
import { Effect } from "effect"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../LocalLimits.ts"
import type { KnownCommits } from "./KnownCommits.ts"

type Walk<A> = Effect.Effect<A, RepositoriesUnavailable>

/** A commit and those before it, as long as each has one parent; null where one is not there. The last may have several. */
const lineOf = Effect.fnUntraced(function* (commits: KnownCommits, gitDir: string, from: string) {
  const line = [from]
  for (let at = from; line.length < LocalLimits.gitMergeLine;) {
    const links = yield* commits.of(gitDir, at)
    if (links === undefined) return null
    const [parent, ...others] = links.parents
    if (parent === undefined || others.length > 0) break
    line.push(parent)
    at = parent
  }
  return line
})

/** Commits behind one, each the first parent of the one before. */
const firstParents = Effect.fnUntraced(function* (commits: KnownCommits, gitDir: string, from: string) {
  const found = new Set<string>()
  for (let at: string | undefined = from; at !== undefined && found.size < LocalLimits.gitMergeBehind;) {
    at = (yield* commits.of(gitDir, at))?.parents[0]
    if (at !== undefined) found.add(at)
  }
  return found as ReadonlySet<string>
})

/**
 * Which of some commits a commit is, or was made of; null where that takes too many steps. It is not looked behind them, nor
 * behind what is `behind` all of them: none of them can be there.
 */
const reached = Effect.fnUntraced(function* (
  commits: KnownCommits,
  gitDir: string,
  from: string,
  {
    among,
    behind,
    steps
  }: { readonly among: ReadonlySet<string>; readonly behind: ReadonlySet<string>; readonly steps: number }
) {
  const found = new Set<string>()
  const seen = new Set([from])
  let left = steps
  for (const at of seen) {
    if (among.has(at)) found.add(at)
    if (among.has(at) || behind.has(at)) continue
    if (left-- === 0) return null
    const links = yield* commits.of(gitDir, at)
    if (links === undefined) return null
    for (const parent of links.parents) seen.add(parent)
  }
  return found as ReadonlySet<string>
})

/**
 * The one nearest commit of which both were made; null where there may be several, none, or it takes long to tell. All that
 * `theirs` adds must be a line of commits of one parent each: whatever else both were made of is behind the first of these
 * that `ours` has. It is `theirs` itself where `ours` has all of it.
 */
export const mergeBase = (commits: KnownCommits, gitDir: string, ours: string, theirs: string): Walk<string | null> =>
  Effect.gen(function* () {
    const line = yield* lineOf(commits, gitDir, theirs)
    const last = line?.at(-1)
    if (line === null || last === undefined) return null
    const among = new Set(line)
    const near = { among, behind: new Set<string>(), steps: LocalLimits.gitMergeLine }
    const found =
      (yield* reached(commits, gitDir, ours, near)) ??
      (yield* reached(commits, gitDir, ours, {
        among,
        behind: yield* firstParents(commits, gitDir, last),
        steps: LocalLimits.gitMergeSteps
      }))
    return line.find((commit) => found?.has(commit) === true) ?? null
  })
