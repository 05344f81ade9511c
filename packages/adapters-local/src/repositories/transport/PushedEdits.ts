/** What a push comes to: which files of a tree are other ones than before. Pure. */
import { InvalidPath } from "@pawl/core/project/Repositories"
import { Result } from "effect"

/** A file of a tree; `id` is that of its bytes. */
interface FileOf {
  readonly id: string
  readonly executable: boolean
}

/** Files by path that make one tree out of another. */
export interface PushedEdits {
  readonly deleted: ReadonlyArray<string>
  readonly written: ReadonlyArray<readonly [path: string, id: string]>
}

/** Fails where a file is executable and was not, or the other way round. */
export const pushedEdits = (
  from: ReadonlyMap<string, FileOf>,
  to: ReadonlyMap<string, FileOf>
): Result.Result<PushedEdits, InvalidPath> => {
  const written: Array<readonly [path: string, id: string]> = []
  for (const [path, { executable, id }] of to) {
    const before = from.get(path)
    if (executable !== (before?.executable ?? false))
      return Result.fail(
        new InvalidPath({
          path,
          reason: `Pawl keeps whether a file is executable as it was; git update-index --chmod=${executable ? "-" : "+"}x`
        })
      )
    if (before?.id !== id) written.push([path, id])
  }
  return Result.succeed({ deleted: [...from.keys()].filter((path) => !to.has(path)), written })
}
