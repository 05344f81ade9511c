/** The merge of one file's contents by `git merge-file`, which knows no trees and no commits. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { failed, run } from "./GitCommand.ts"
import { io } from "./GitFolder.ts"
import type { RepositoryPath } from "./RepositoryPath.ts"

/** git's own rule: a zero byte among the first 8,000. */
const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8000).includes(0)

interface Contents {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}

/** The merged bytes, or null when the sides conflict or one of the files is binary. */
export const mergeFile = (
  { gitDir }: RepositoryPath,
  { base, ours, theirs }: Contents
): Effect.Effect<Uint8Array | null, RepositoriesUnavailable> =>
  [base, ours, theirs].some(isBinary)
    ? Effect.succeed(null)
    : Effect.acquireUseRelease(
        io("merge-file", () => mkdtemp(join(tmpdir(), "pawl-merge-"))),
        (folder) =>
          Effect.gen(function* () {
            const files = [
              [join(folder, "ours"), ours],
              [join(folder, "base"), base],
              [join(folder, "theirs"), theirs]
            ] as const
            yield* io("merge-file", () => Promise.all(files.map(([path, bytes]) => writeFile(path, bytes))))
            const args = ["merge-file", "--stdout", "--quiet", ...files.map(([path]) => path)]
            const result = yield* run({ gitDir, args, maxBytes: 3 * Limits.sourceFileBytes }).pipe(
              Effect.catchTag(
                "TooMuchOutput",
                () => new RepositoriesUnavailable({ operation: "merge-file", reason: "it said too much" })
              )
            )
            if (result.code === 0) return new Uint8Array(result.stdout)
            // It exits with the number of conflicts, at most 127; above that it did not merge at all.
            return result.code <= 127 ? null : yield* failed(args, result)
          }),
        (folder) => Effect.ignore(io("merge-file", () => rm(folder, { recursive: true, force: true })))
      )
