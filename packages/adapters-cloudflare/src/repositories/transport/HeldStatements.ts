/** Publishes statements in the Project's own repository: a commit for each batch on top of the one before. */
import {
  gitPublisher,
  statementFiles,
  statementsMessage,
  statementsSecond
} from "@pawl/adapters-local/repositories/transport/StatementFiles"
import { utf8 } from "@pawl/core/primitives/Digest"
import { type CheckpointPublisher, PublisherUnavailable } from "@pawl/core/provenance/CheckpointPublisher"
import { Context, Effect, Result } from "effect"
import { gitObject } from "../GitObject.ts"
import type { HeldRepositories } from "../HeldRepositories.ts"
import { writing } from "../RepositoryWrite.ts"
import { commitOf, type TreeFile, treeOf } from "../Tree.ts"

/** The publisher that writes into the repositories of this installation. */
export class HeldStatements extends Context.Service<HeldStatements, CheckpointPublisher>()(
  "@pawl/adapters-cloudflare/repositories/transport/HeldStatements"
) {}

const written = (text: string): TreeFile => {
  const object = gitObject("blob", utf8(text))
  return { id: object.id, size: object.body.length, executable: false, object }
}

/**
 * `HeldStatements` on repositories that are held. A Project without one has nothing to show yet; what is the instance's
 * stands in the repository of each Project.
 */
export const make = (held: HeldRepositories): CheckpointPublisher => ({
  name: gitPublisher,
  publish: ({ chain, ...publication }) =>
    chain === "instance"
      ? Effect.succeed(null)
      : writing(held, { project: chain }, [], (bench) =>
          Result.gen(function* () {
            const { mark } = publication
            const before =
              mark === null
                ? new Map<string, TreeFile>()
                : (yield* treeOf(bench, (yield* commitOf(bench, mark)).tree)).files
            const files = new Map(before)
            for (const [path, text] of statementFiles(publication)) files.set(path, written(text))
            return bench.commit(files, {
              parents: mark === null ? [] : [mark],
              message: statementsMessage(publication),
              signature: { name: "Pawl", email: "pawl@localhost", atMs: statementsSecond(publication) * 1000 }
            }).commit
          })
        ).pipe(
          Effect.catch((error) =>
            error._tag === "ObjectNotFound" && error.what === "repository"
              ? Effect.succeed(null)
              : new PublisherUnavailable({ publisher: gitPublisher, reason: error.message })
          )
        )
})
