/** A repository in a folder as packs of git's, which can be carried elsewhere, and made a folder again. */
import { Effect } from "effect"
import type { RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../LocalLimits.ts"
import { short, succeed } from "./GitCommand.ts"
import { folder } from "./FolderAside.ts"
import { exists } from "./FolderFiles.ts"
import { io } from "./GitFolder.ts"
import { objectsOf } from "./packs/PackBytes.ts"
import { isObjectId, repositoryPath } from "./RepositoryPath.ts"
import { statementsRef } from "./transport/StatementFiles.ts"

/** Some commits of a repository, and a pack with all that is needed for them. */
export interface CopiedCommits {
  readonly commits: ReadonlyArray<string>
  /** Null when there are none. */
  readonly pack: Uint8Array | null
  /** How many objects are in the pack. */
  readonly objects: number
}

/** A repository as packs. */
export interface CopiedRepository extends CopiedCommits {
  /** What its ref for statements leads to, apart from the rest; of a fork nothing. */
  readonly statements: CopiedCommits
}

const none: CopiedCommits = { commits: [], pack: null, objects: 0 }

/** A pack with what these commits need and `without` does not. What is borrowed is in it only where they need it. */
const packed = (gitDir: string, commits: ReadonlyArray<string>, without: string | null) =>
  Effect.gen(function* () {
    if (commits.length === 0) return none
    const stdin = [...commits, ...(without === null ? [] : [`^${without}`]), ""].join("\n")
    const args = ["pack-objects", "-q", "--revs", "--delta-base-offset", "--stdout"]
    const pack = yield* succeed({ gitDir, args, stdin, maxBytes: LocalLimits.copiedPackBytes })
    return { commits, pack: new Uint8Array(pack), objects: objectsOf(pack) ?? 0 } satisfies CopiedCommits
  })

const refsIn = (gitDir: string, pattern: string) =>
  Effect.map(
    succeed({
      gitDir,
      args: ["for-each-ref", "--format=%(objectname)", pattern],
      maxBytes: LocalLimits.copiedRefsBytes
    }),
    (said) => said.toString("latin1").split("\n").filter(isObjectId)
  )

/**
 * The repository below `root`; null where it is not there. Of canonical all up to `main`, or, where that was not brought
 * here yet, up to what stands there; of a fork all that it has beyond `main`, which canonical has. Others may write
 * meanwhile.
 */
export const copied = Effect.fnUntraced(function* (
  root: string,
  ref: RepositoryRef,
  main: string | null
): Effect.fn.Return<CopiedRepository | null, RepositoriesUnavailable> {
  const { gitDir, isFork } = yield* repositoryPath(root, ref)
  if (!(yield* io("open", () => exists(gitDir)))) return null
  if (isFork) return { ...(yield* packed(gitDir, yield* refsIn(gitDir, "refs/keep"), main)), statements: none }
  const statements = yield* packed(gitDir, yield* refsIn(gitDir, statementsRef), null)
  const isThere = main !== null && (yield* short({ gitDir, args: ["cat-file", "-e", `${main}^{commit}`] })).code === 0
  const commits = isThere ? [main] : yield* refsIn(gitDir, "refs/heads/main")
  return { ...(yield* packed(gitDir, commits, null)), statements }
})

const index = (gitDir: string, { pack }: CopiedCommits) =>
  pack === null
    ? Effect.void
    : Effect.asVoid(succeed({ gitDir, args: ["index-pack", "--strict", "--stdin"], stdin: pack }))

const point = (gitDir: string, ref: string, commit: string) => succeed({ gitDir, args: ["update-ref", ref, commit] })

/** Makes the repository below `root`, as it was. Canonical comes before its forks. Again it changes nothing. */
export const restored = Effect.fnUntraced(function* (
  root: string,
  ref: RepositoryRef,
  { commits, objects, pack, statements }: CopiedRepository
): Effect.fn.Return<void, RepositoriesUnavailable> {
  const path = yield* repositoryPath(root, ref)
  const { gitDir, isFork } = path
  yield* io("create", () => folder.create(path))
  yield* index(gitDir, { commits, objects, pack })
  yield* index(gitDir, statements)
  for (const commit of commits)
    yield* isFork ? io("keep", () => folder.keep(gitDir, commit)) : point(gitDir, "refs/heads/main", commit)
  for (const commit of statements.commits) yield* point(gitDir, statementsRef, commit)
})
