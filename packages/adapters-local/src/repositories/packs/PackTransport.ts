/** git's protocol and the publishing of statements, on copies. */
import { Effect } from "effect"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import type { CheckpointPublisher } from "@pawl/core/provenance/CheckpointPublisher"
import { PublisherUnavailable } from "@pawl/core/provenance/CheckpointPublisher"
import { gitPublisher } from "../transport/GitStatements.ts"
import type { GitTransport, Pushed } from "../transport/GitTransport.ts"
import type { CopyParts } from "./Copies.ts"
import { serving } from "./CopyReads.ts"
import { beside, writing } from "./CopyWrites.ts"

type Service = typeof GitTransport.Service

/** Serves from copies, and judges pushes beside one. */
export const transportOn = (parts: CopyParts, git: Service): Service => ({
  serve: (options) => {
    const refs: ReadonlyArray<RepositoryRef> = [{ project: options.project }, ...options.refs.map(({ at }) => at)]
    return serving(parts, refs, git.serve(options))
  },
  receive: (options, look) =>
    beside(parts, options.project, (also) =>
      git.receive(options, (pushed) => {
        const editsFrom: Pushed["editsFrom"] = (tree, at) => Effect.andThen(also(at), pushed.editsFrom(tree, at))
        return look({ ...pushed, editsFrom })
      })
    )
})

/** Publishes in canonical's copy, and hands on what is new. */
export const statementsOn = (parts: CopyParts, git: CheckpointPublisher): CheckpointPublisher => ({
  name: git.name,
  publish: (publication) =>
    publication.chain === "instance"
      ? git.publish(publication)
      : Effect.catchTag(
          writing(parts)({ project: publication.chain }, [], git.publish(publication)),
          "RepositoriesUnavailable",
          ({ reason }) => new PublisherUnavailable({ publisher: gitPublisher, reason })
        )
})
