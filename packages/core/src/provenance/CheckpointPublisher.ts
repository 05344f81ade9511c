/** Checkpoints are worth something once somebody else holds them. A publisher puts them where others take them from. */
import { Context, Effect, Schema } from "effect"
import type { ChainId } from "../model/Statement.ts"

/** It cannot be reached, or refuses. It is tried again; nothing else waits for it. */
export class PublisherUnavailable extends Schema.TaggedError<PublisherUnavailable>()("PublisherUnavailable", {
  publisher: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.publisher} takes no checkpoint: ${this.reason}`
  }
}

/** What is published at a time: some statements that follow what this publisher has, and what covers them. */
export interface Publication {
  /** Whose chain it is. What there is of the instance's is also published with each of the others. */
  readonly chain: ChainId
  /** The entry of the first of `envelopes`. */
  readonly from: number
  /** DSSE envelopes as JSON, in order. */
  readonly envelopes: ReadonlyArray<string>
  /** Those of the keys: the instance's whole chain. */
  readonly keys: ReadonlyArray<string>
  /** The newest signed note over those of the keys; null before the first. */
  readonly keysCheckpoint: string | null
  /** The signed note over all entries up to these; null where more follow. */
  readonly checkpoint: string | null
  /** When the last of them was made, so that the same is published the same way. */
  readonly at: string
  /** What the publication before was answered with; null for the first. */
  readonly mark: string | null
}

/** One place. Its name is kept with what it has, and never changes. */
export interface CheckpointPublisher {
  readonly name: string
  /**
   * Publishes, once more where that was done before, and answers a mark that the next publication is handed; null where
   * there is no place for it yet: the next checkpoint brings it again.
   */
  readonly publish: (publication: Publication) => Effect.Effect<string | null, PublisherUnavailable>
}

/** Tells each checkpoint as an event of its Project, `checkpoint.published`: to webhooks, and to who reads events. */
export const eventPublisher: CheckpointPublisher = { name: "event", publish: () => Effect.succeed("event") }

/** All places of this installation. Without any, checkpoints stay in the store, and are asked for. */
export const CheckpointPublishers = Context.Reference<ReadonlyArray<CheckpointPublisher>>(
  "@pawl/core/provenance/CheckpointPublishers",
  { defaultValue: () => [] }
)
