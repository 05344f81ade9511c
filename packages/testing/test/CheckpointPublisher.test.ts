import { memoryPublisher, type PublishedInMemory } from "@pawl/adapters-memory/MemoryPublisher"
import { checkpointPublishersContract } from "@pawl/testing/contracts/provenance/CheckpointPublishersContract"
import { Effect } from "effect"

const project = "proj_00000000-0000-4000-8000-000000000001" as const

checkpointPublishersContract(
  "memory",
  Effect.sync(() => {
    const kept: PublishedInMemory = { publications: [], away: false }
    return {
      publisher: memoryPublisher(kept),
      project,
      read: Effect.sync(() => ({
        checkpoint:
          kept.publications.findLast((each) => each.chain === project && each.checkpoint !== null)?.checkpoint ?? null,
        keysCheckpoint: kept.publications.at(-1)?.keysCheckpoint ?? null,
        keys: (kept.publications.at(-1)?.keys ?? []).map((each) => `${each}\n`).join(""),
        statements: [...new Set(kept.publications.flatMap((each) => (each.chain === project ? each.envelopes : [])))]
      }))
    }
  })
)
