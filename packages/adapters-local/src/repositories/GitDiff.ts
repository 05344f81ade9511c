/** What changed between two trees, by one `diff-tree`. */
import { Effect } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { type FileDiff, RepositoriesUnavailable, TreeTooLarge } from "@pawl/core/project/Repositories"
import { failed, run } from "./GitCommand.ts"

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
  args: ReadonlyArray<string>
): Effect.Effect<string, TreeTooLarge | RepositoriesUnavailable> =>
  run({ gitDir, args: ["diff-tree", ...args], maxBytes: LocalLimits.diffBytes }).pipe(
    Effect.catchTag(
      "TooMuchOutput",
      ({ output }) => new TreeTooLarge({ limit: "diffBytes", max: LocalLimits.diffBytes, actual: output.length })
    ),
    Effect.flatMap((result) =>
      result.code === 0 ? Effect.succeed(result.stdout.toString("utf8")) : failed(["diff-tree"], result)
    )
  )

export const diffText = (gitDir: string, from: string, to: string) => diffTree(gitDir, [...options, from, to])

const statuses = { A: "added", M: "modified", D: "deleted" } as const
const isStatus = (text: string): text is keyof typeof statuses => text in statuses

/** Reads `--raw --numstat -p -z`: two lists of fields that end in NUL, an empty field, then the patches in the same order. */
export const parseDiff = (text: string): ReadonlyArray<FileDiff> | undefined => {
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
  if (raw.length > 0 && field() !== "") return undefined
  // In a patch every line of a file starts with a sign, so this can only be a header.
  const patches = raw.length === 0 ? [] : text.slice(at).split(/(?<![^\n])(?=diff --git )/)
  if (patches.length !== raw.length) return undefined
  return raw.map(({ path, status }, index) => {
    const [additions = "-", deletions = "-"] = counts[index] ?? []
    const binary = additions === "-"
    return {
      path,
      status,
      additions: binary ? 0 : Number(additions),
      deletions: binary ? 0 : Number(deletions),
      patch: binary ? "" : (patches[index] ?? "")
    }
  })
}

export const diffFiles = (
  gitDir: string,
  from: string,
  to: string
): Effect.Effect<ReadonlyArray<FileDiff>, TreeTooLarge | RepositoriesUnavailable> =>
  Effect.flatMap(diffTree(gitDir, [...options, "--raw", "--numstat", "-z", from, to]), (text) => {
    const files = parseDiff(text)
    return files === undefined
      ? new RepositoriesUnavailable({ operation: "diff-tree", reason: "its answer has another form" })
      : Effect.succeed(files)
  })
