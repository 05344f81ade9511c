/** What the server and its spawner say to each other, over Node's IPC in JSON. */
import { Schema } from "effect"

/** A program to be started. */
export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** All that it gets of an environment. */
  readonly env: Readonly<Record<string, string>>
  /** How many descriptors it gets, from 0 on. Each is a socket in both directions, as Node's own pipes are. */
  readonly streams: number
  /** A named pipe that somebody reads already: it is descriptor 1 in place of a socket. */
  readonly output?: string
  /** In a process group of its own, which is killed with it. */
  readonly ownGroup?: boolean
  /** With /dev/null in place of each descriptor that the spawner itself was given and would pass on. */
  readonly covered?: boolean
}

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
