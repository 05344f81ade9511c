/** Publishes statements in a repository of the Project: a commit for each batch on top of the one before. */
import {
  gitPublisher,
  statementFiles,
  statementsMessage,
  statementsSecond
} from "@pawl/adapters-local/repositories/transport/StatementFiles"
import { utf8 } from "@pawl/core/primitives/Digest"
import type { InvalidPath, ObjectNotFound, RepositoryRef, TreeTooLarge } from "@pawl/core/project/Repositories"
import {
  type CheckpointPublisher,
  type Publication,
  PublisherUnavailable
} from "@pawl/core/provenance/CheckpointPublisher"
import { Context, Effect, Result } from "effect"
import { gitObject } from "../GitObject.ts"
import type { HeldRepositories } from "../HeldRepositories.ts"
import { type Bench, writing } from "../RepositoryWrite.ts"
import { commitOf, type TreeFile, treeOf } from "../Tree.ts"

/** The publisher that writes into the repositories of this installation. */
export class HeldStatements extends Context.Service<HeldStatements, CheckpointPublisher>()(
  "@pawl/adapters-cloudflare/repositories/transport/HeldStatements"
) {}

const written = (text: string): TreeFile => {
  const object = gitObject("blob", utf8(text))
  return { id: object.id, size: object.body.length, executable: false, object }
}

/** Where the commits of statements are: apart from canonical, whose bytes are bounded, and which they would fill. */
export const statementsPlace = (project: string): RepositoryRef => ({ project, fork: "statements" })

const commitOn =
  (publication: Publication) =>
  (bench: Bench): Result.Result<string, ObjectNotFound | InvalidPath | TreeTooLarge> =>
    Result.gen(function* () {
      const { mark } = publication
      const before = mark === null ? null : yield* treeOf(bench, (yield* commitOf(bench, mark)).tree)
      const files = new Map(before?.files)
      for (const [path, text] of statementFiles(publication)) files.set(path, written(text))
      return bench.commit(files, {
        parents: mark === null ? [] : [mark],
        message: statementsMessage(publication),
        signature: { name: "Pawl", email: "pawl@localhost", atMs: statementsSecond(publication) * 1000 }
      }).commit
    })

/**
 * `HeldStatements` on repositories that are held. A Project without one has nothing to show yet; what is the instance's
 * stands in the repository of each Project.
 */
export const make = (held: HeldRepositories): CheckpointPublisher => ({
  name: gitPublisher,
  publish: (publication) =>
    publication.chain === "instance"
      ? Effect.succeed(null)
      : Effect.gen(function* () {
          const place = statementsPlace(publication.chain)
          if (!(yield* held.open(place))) return null
          const commit = yield* writing(held, place, [], commitOn(publication))
          yield* held.compact(place)
          return commit
        }).pipe(Effect.catch(({ message }) => new PublisherUnavailable({ publisher: gitPublisher, reason: message })))
})
