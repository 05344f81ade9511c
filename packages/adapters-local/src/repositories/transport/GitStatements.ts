/**
 * Publishes statements in the Project's own repository, as the ref `refs/pawl/statements`: a commit for each batch on top
 * of the one before. Whoever has fetched it once is told by git itself when it is not a continuation any more.
 */
import {
  type CheckpointPublisher,
  type Publication,
  PublisherUnavailable
} from "@pawl/core/provenance/CheckpointPublisher"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Context, Effect } from "effect"
import { succeed } from "../GitCommand.ts"
import { exists } from "../FolderFiles.ts"
import { io } from "../GitFolder.ts"
import type { GitWriter } from "../GitWriter.ts"
import { isObjectId } from "../RepositoryPath.ts"
import { gitPublisher, statementFiles, statementsMessage, statementsRef, statementsSecond } from "./StatementFiles.ts"

/** The publisher that writes into the repositories of this installation. */
export class GitStatements extends Context.Service<GitStatements, CheckpointPublisher>()(
  "@pawl/adapters-local/repositories/transport/GitStatements"
) {}

const data = (text: string): string => `data ${utf8(text).length}\n${text}\n`
const file = (path: string, text: string): string => `M 100644 inline ${path}\n${data(text)}`

/** What `git fast-import` is told; it answers the commit's id. */
const told = (publication: Omit<Publication, "chain">): string =>
  [
    `commit ${statementsRef}\nmark :1\ncommitter Pawl <pawl@localhost> ${statementsSecond(publication)} +0000\n`,
    data(statementsMessage(publication)),
    publication.mark === null ? "" : `from ${publication.mark}\n`,
    ...statementFiles(publication).map(([path, text]) => file(path, text)),
    "\nget-mark :1\n"
  ].join("")

const away = (reason: string) => new PublisherUnavailable({ publisher: gitPublisher, reason })

/**
 * `GitStatements` beside what else writes in the repositories. A Project without one has nothing to show yet; what is the
 * instance's stands in the repository of each Project.
 */
export const publishStatements = (writer: GitWriter): CheckpointPublisher => ({
  name: gitPublisher,
  publish: ({ chain, ...publication }) =>
    chain === "instance"
      ? Effect.succeed(null)
      : writer
          .writing({ project: chain }, ({ gitDir }) =>
            Effect.gen(function* () {
              if (!(yield* io("open", () => exists(gitDir)))) return null
              if (publication.mark !== null && !isObjectId(publication.mark))
                return yield* away("its mark is no commit")
              // The ledger says what the newest one is: what a crash left on the ref was shown to nobody.
              const stdin = told(publication)
              const said = yield* succeed({ gitDir, args: ["fast-import", "--quiet", "--force"], stdin })
              const commit = said.toString("latin1").trim()
              return isObjectId(commit) ? commit : yield* away("git named no commit")
            })
          )
          .pipe(Effect.catchTag("RepositoriesUnavailable", ({ reason }) => away(reason)))
})
