import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { filePublisher } from "@pawl/adapters-local/publishers/FilePublisher"
import { checkpointPublishersContract } from "@pawl/testing/contracts/provenance/CheckpointPublishersContract"

const project = "proj_00000000-0000-4000-8000-000000000001" as const

checkpointPublishersContract(
  "file",
  Effect.sync(() => {
    const folder = join(mkdtempSync(join(tmpdir(), "pawl-published-")), "checkpoints")
    const path = join(folder, `${project}.checkpoint`)
    return {
      publisher: filePublisher(folder),
      project,
      read: Effect.sync(() => ({
        checkpoint: existsSync(path) ? readFileSync(path, "utf8") : null,
        keysCheckpoint: existsSync(join(folder, "instance.checkpoint"))
          ? readFileSync(join(folder, "instance.checkpoint"), "utf8")
          : null,
        keys: readFileSync(join(folder, "keys.intoto.jsonl"), "utf8"),
        statements: null
      }))
    }
  })
)
