/** git's protocol and the publishing of statements, on copies. */
import { Effect } from "effect"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import type { CheckpointPublisher } from "@pawl/core/provenance/CheckpointPublisher"
import { PublisherUnavailable } from "@pawl/core/provenance/CheckpointPublisher"
import type { GitTransport } from "../transport/GitTransport.ts"
import type { Pushed, PushReceiver } from "../transport/PushReceiver.ts"
import { gitPublisher } from "../transport/StatementFiles.ts"
import type { CopyParts } from "./Copies.ts"
import { serving } from "./CopyReads.ts"
import { beside, writing } from "./CopyWrites.ts"

type Transport = typeof GitTransport.Service
type Pushes = typeof PushReceiver.Service

/** Serves from copies. */
export const transportOn = (parts: CopyParts, git: Transport): Transport => ({
  serve: (options) => {
    const refs: ReadonlyArray<RepositoryRef> = [{ project: options.project }, ...options.refs.map(({ at }) => at)]
    return serving(parts, refs, git.serve(options))
  }
})

/** Judges pushes beside a copy. */
export const pushesOn = (parts: CopyParts, git: Pushes): Pushes => ({
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
