/** What a runtime and the process that reads source maps say to each other, over Node's "advanced" IPC. */
import { Schema } from "effect"

/** Maps that it gets to know, those that it may forget, and places in what they are about. Only the parent sends it. */
export interface StackOrder {
  readonly order: number
  readonly forget: ReadonlyArray<string>
  /** By digest, as JSON. */
  readonly maps: ReadonlyArray<readonly [sha256: string, bytes: Uint8Array]>
  /** Line and column from 1 on. */
  readonly frames: ReadonlyArray<{ readonly map: string; readonly line: number; readonly column: number }>
}

/** For each frame where it is in the source, both from 1 on; null where the map does not say. */
export const StackAnswer = Schema.Struct({
  order: Schema.Finite,
  places: Schema.Array(
    Schema.NullOr(Schema.Struct({ source: Schema.String, line: Schema.Finite, column: Schema.Finite }))
  )
})
export type StackAnswer = typeof StackAnswer.Type
