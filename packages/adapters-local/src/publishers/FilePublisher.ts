/**
 * Publishes checkpoints into a folder, a file to a Project: for whoever carries it elsewhere, or mounts there what cannot
 * be rewritten.
 */
import { join } from "node:path"
import { mkdirSync } from "node:fs"
import { type CheckpointPublisher, PublisherUnavailable } from "@pawl/core/provenance/CheckpointPublisher"
import { Effect } from "effect"
import { replaceFile } from "../signing/KeyFiles.ts"

const name = "file"

/** Writes `<folder>/<project>.checkpoint`, `<folder>/instance.checkpoint` of the keys, and `<folder>/keys.intoto.jsonl`. */
export const filePublisher = (folder: string): CheckpointPublisher => ({
  name,
  publish: ({ chain, checkpoint, keys }) =>
    Effect.try({
      try: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        replaceFile(join(folder, "keys.intoto.jsonl"), keys.map((each) => `${each}\n`).join(""))
        if (checkpoint !== null) replaceFile(join(folder, `${chain}.checkpoint`), checkpoint)
        return name
      },
      catch: (error) =>
        new PublisherUnavailable({
          publisher: name,
          reason: error instanceof Error && "code" in error ? String(error.code) : "the folder cannot be written"
        })
    })
})
