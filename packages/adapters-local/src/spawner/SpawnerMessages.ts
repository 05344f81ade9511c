/** What the server and its spawner say to each other, over Node's IPC in JSON. */
import { Schema } from "effect"
import type { Command } from "./Starter.ts"

/** What the server asks for. Who is killed is first stopped from being started. */
export type SpawnerOrder =
  | { readonly _tag: "Start"; readonly id: number; readonly command: Command }
  | { readonly _tag: "Kill"; readonly id: number }

/** What became of it. `Failed`: it was never started, and no word of it follows. */
export const SpawnerAnswer = Schema.Union([
  Schema.TaggedStruct("Started", { id: Schema.Finite, pid: Schema.Finite }),
  Schema.TaggedStruct("Failed", { id: Schema.Finite, reason: Schema.String }),
  Schema.TaggedStruct("Ended", {
    id: Schema.Finite,
    code: Schema.NullOr(Schema.Finite),
    signal: Schema.NullOr(Schema.String)
  })
])
export type SpawnerAnswer = typeof SpawnerAnswer.Type
