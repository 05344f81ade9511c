/**
 * One file of a repository that a Worker does not hold: its directories and itself are read by the binding, which costs a few
 * calls and no memory. Whatever is not plainly there is told by the way that all else is read, which says why.
 */
import { Effect } from "effect"
import type { Repositories, RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"
import { pathProblem } from "@pawl/core/project/Paths"
import { gitObject } from "../GitObject.ts"
import { type Artifacts, type ArtifactsRefused, type ArtifactsRepository, calling, using } from "./Artifacts.ts"
import type { HeldOnArtifacts } from "./ArtifactsHeld.ts"
import { repositoryName } from "./ArtifactsNames.ts"

const isId = (id: string): boolean => /^[0-9a-f]{40}$/.test(id)

const found = (
  repository: ArtifactsRepository,
  tree: string,
  path: string
): Effect.Effect<Uint8Array | null, ArtifactsRefused | RepositoriesUnavailable> =>
  Effect.gen(function* () {
    let at = tree
    for (const name of path.split("/")) {
      const items = yield* calling("readTree", () => repository.readTree(at))
      const item = items?.find((each) => each.name === name)
      if (item === undefined) return null
      at = item.hash
    }
    const blob = yield* calling("readBlob", async () => (await repository.readBlob(at))?.arrayBuffer() ?? null)
    const bytes = blob === null ? null : new Uint8Array(blob)
    // Bytes are what their id says, or nobody gets them.
    return bytes !== null && gitObject("blob", bytes).id === at ? bytes : null
  })

type Read = Repositories["Service"]["read"]

/** The bytes of one file, by the binding where the repository is not held. */
export const fileByBinding =
  (artifacts: Artifacts, held: HeldOnArtifacts, read: Read): Read =>
  (ref: RepositoryRef, tree: string, path: string) =>
    held.holds(ref) || !isId(tree) || pathProblem(path) !== undefined
      ? read(ref, tree, path)
      : using(artifacts, repositoryName(ref), (repository) => found(repository, tree, path)).pipe(
          Effect.catchTag("ArtifactsRefused", () => Effect.succeed(null)),
          Effect.flatMap((bytes) => (bytes === null ? read(ref, tree, path) : Effect.succeed(bytes)))
        )
