/** What changed between two trees, by one `diff-tree`. */
import { Effect, Stream } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import type { FileChange } from "@pawl/core/model/ChangeSet"
import { pathProblem } from "@pawl/core/project/Paths"
import { type DiffText, type FileDiff, RepositoriesUnavailable, TreeTooLarge } from "@pawl/core/project/Repositories"
import { failed, type GitResult, run, stream } from "./GitCommand.ts"

const options = [
  "-r",
  "-p",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--full-index",
  "--src-prefix=a/",
  "--dst-prefix=b/"
]

const diffTree = (
  gitDir: string,
  args: ReadonlyArray<string>,
  keepBytes: number = LocalLimits.diffBytes
): Effect.Effect<GitResult, TreeTooLarge | RepositoriesUnavailable> =>
  run({ gitDir, args: ["diff-tree", ...args], maxBytes: LocalLimits.diffBytes, keepBytes }).pipe(
    Effect.catchTag(
      "TooMuchOutput",
      () => new TreeTooLarge({ limit: "diffBytes", max: LocalLimits.diffBytes, actual: LocalLimits.diffBytes + 1 })
    ),
    Effect.flatMap((result) => (result.code === 0 ? Effect.succeed(result) : failed(["diff-tree"], result)))
  )

/** Arguments that keep what changed at a path, or below it, to the letter. */
const keeping = (within: string | undefined): ReadonlyArray<string> =>
  within === undefined ? [] : ["--", `:(literal)${within}`]

/** Whether git is not asked at all: it is given no path that no file can have. */
const isNowhere = (within: string | undefined): boolean => within !== undefined && pathProblem(within) !== undefined

const nothing: DiffText = { sizeBytes: 0, pieces: Stream.empty, changes: Effect.succeed([]) }

const unread = new RepositoriesUnavailable({ operation: "diff-tree", reason: "its answer has another form" })

/**
 * The diff of two trees or commits as `git diff` writes it. It is made once to know its size in bytes, and to refuse one
 * that is too large before anything is answered; one that is not kept in memory is made again while it is read. With
 * `within`: of what is at that path, and below it.
 */
export const diffText = (
  gitDir: string,
  from: string,
  to: string,
  within?: string
): Effect.Effect<DiffText, TreeTooLarge | RepositoriesUnavailable> => {
  if (isNowhere(within)) return Effect.succeed(nothing)
  const compared = [from, to, ...keeping(within)]
  return Effect.map(
    diffTree(gitDir, [...options, ...compared], LocalLimits.diffKeptBytes),
    ({ sizeBytes, stdout }) => ({
      sizeBytes,
      pieces:
        sizeBytes === 0
          ? Stream.empty
          : stdout.length === sizeBytes
            ? Stream.make<[Uint8Array]>(stdout)
            : stream({ gitDir, args: ["diff-tree", ...options, ...compared], timeoutMs: LocalLimits.gitServeMs }),
      changes: diffTree(gitDir, ["-r", "--no-renames", "--raw", "--numstat", "-z", ...compared]).pipe(
        Effect.catchTag("TreeTooLarge", () => unread),
        Effect.flatMap(({ stdout: listed }) => {
          const found = parseChanges(listed.toString("utf8"))
          return found === undefined ? unread : Effect.succeed(found.changes)
        })
      )
    })
  )
}

const statuses = { A: "added", M: "modified", D: "deleted" } as const
const isStatus = (text: string): text is keyof typeof statuses => text in statuses

interface Listed {
  readonly changes: ReadonlyArray<FileChange>
  readonly isBinary: ReadonlyArray<boolean>
  /** What follows the two lists. */
  readonly rest: string
}

/** Reads `--raw --numstat -z`: two lists of fields that end in NUL. */
const parseChanges = (text: string): Listed | undefined => {
  const raw: Array<{ readonly path: string; readonly status: FileDiff["status"] }> = []
  let at = 0
  const field = (): string => {
    const end = text.indexOf("\0", at)
    const value = text.slice(at, end < 0 ? undefined : end)
    at = end < 0 ? text.length : end + 1
    return value
  }
  while (text[at] === ":") {
    const status = field().split(" ")[4] ?? ""
    const path = field()
    if (!isStatus(status)) return undefined
    raw.push({ path, status: statuses[status] })
  }
  const counts = raw.map(() => field().split("\t"))
  const isBinary = counts.map(([additions = "-"]) => additions === "-")
  const changes = raw.map((each, index) => {
    const [additions = "0", deletions = "0"] = isBinary[index] === true ? [] : (counts[index] ?? [])
    return { ...each, additions: Number(additions), deletions: Number(deletions) }
  })
  return { changes, isBinary, rest: text.slice(at) }
}

/** Reads `--raw --numstat -p -z`: the two lists, an empty field, then the patches in the same order. */
const parseDiff = (text: string): ReadonlyArray<FileDiff> | undefined => {
  const listed = parseChanges(text)
  if (listed === undefined) return undefined
  const { changes, isBinary, rest } = listed
  if (changes.length === 0) return []
  if (!rest.startsWith("\0")) return undefined
  // In a patch every line of a file starts with a sign, so this can only be a header.
  const patches = rest.slice(1).split(/(?<![^\n])(?=diff --git )/)
  if (patches.length !== changes.length) return undefined
  return changes.map((change, index) => ({ ...change, patch: isBinary[index] === true ? "" : (patches[index] ?? "") }))
}

/** The files that differ between two trees or commits of a repository, each with its patch; with `within` as in `diffText`. */
export const diffFiles = (
  gitDir: string,
  from: string,
  to: string,
  within?: string
): Effect.Effect<ReadonlyArray<FileDiff>, TreeTooLarge | RepositoriesUnavailable> =>
  isNowhere(within)
    ? Effect.succeed([])
    : Effect.flatMap(
        diffTree(gitDir, [...options, "--raw", "--numstat", "-z", from, to, ...keeping(within)]),
        ({ stdout }) => {
          const files = parseDiff(stdout.toString("utf8"))
          return files === undefined ? unread : Effect.succeed(files)
        }
      )
