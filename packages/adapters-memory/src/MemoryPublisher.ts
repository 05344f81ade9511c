/** `CheckpointPublisher` that a test may look at, and send away. */
import {
  type CheckpointPublisher,
  CheckpointPublishers,
  type Publication,
  PublisherUnavailable
} from "@pawl/core/provenance/CheckpointPublisher"
import { Effect, Layer } from "effect"

/** What was published, and whether it takes anything now. */
export interface PublishedInMemory {
  readonly publications: Array<Publication>
  away: boolean
}

/** A publisher named `memory` whose marks count its publications. */
export const memoryPublisher = (kept: PublishedInMemory): CheckpointPublisher => ({
  name: "memory",
  publish: (publication) =>
    Effect.suspend(() => {
      if (kept.away) return Effect.fail(new PublisherUnavailable({ publisher: "memory", reason: "sent away" }))
      kept.publications.push(publication)
      return Effect.succeed(String(kept.publications.length))
    })
})

/** That publisher alone. */
export const layerMemory = (kept: PublishedInMemory) => Layer.succeed(CheckpointPublishers, [memoryPublisher(kept)])
