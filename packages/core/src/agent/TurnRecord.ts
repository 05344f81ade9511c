/**
 * What a turn leaves behind, as an object: what the model was told since the turn before, and what it answered. With it a
 * talk goes on after a kill, and people can read it.
 */
import { Effect, Schema } from "effect"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { canonicalJson, sha256, utf8 } from "../primitives/Digest.ts"
import { contextPrefix } from "./Asker.ts"
import { type Answer, StopReason, TokenUsage } from "./Models.ts"
import { TurnFailed } from "./TurnFailures.ts"
import type { TurnAsk } from "./Turns.ts"
import { textOf } from "../primitives/Utf8.ts"

const Call = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  input: Schema.Unknown,
  raw: Schema.String
})

const Part = Schema.Union([
  Schema.TaggedStruct("User", { text: Schema.String }),
  Schema.TaggedStruct("Assistant", { text: Schema.String, calls: Schema.Array(Call) }),
  Schema.TaggedStruct("ToolResult", { id: Schema.String, text: Schema.String, failed: Schema.Boolean })
])

/** One turn, as it is kept. */
export const TurnRecord = Schema.Struct({
  version: Schema.Literal(1),
  /** Of the talk, from 1 on. */
  turn: Schema.Finite,
  /** What the model was told before everything else. */
  system: Schema.String,
  /** How many parts of the talk stand in the turns before; 0 where all of it stands here. */
  after: Schema.Finite,
  /** What was said since. */
  parts: Schema.Array(Part),
  /** The names of the tools that it might call. */
  tools: Schema.Array(Schema.String),
  answer: Schema.Struct({
    text: Schema.String,
    calls: Schema.Array(Call),
    stop: StopReason,
    usage: TokenUsage,
    requestId: Schema.NullOr(Schema.String)
  })
})
export interface TurnRecord extends Schema.Schema.Type<typeof TurnRecord> {}

/** The key of the object of one call that was answered. */
export const turnKey = (projectId: string, subject: string, turn: number, nth: number): string =>
  `${contextPrefix(projectId, subject)}turn-${turn}-${nth}.json`

/** The record of a turn. `after` parts of what was asked stand in the records before it. */
export const recordOf = (turn: number, ask: TurnAsk, after: number, answer: Answer): TurnRecord => ({
  version: 1,
  turn,
  system: ask.system,
  after,
  parts: ask.parts.slice(after),
  tools: ask.tools.map(({ name }) => name),
  answer
})

const Json = Schema.fromJsonString(TurnRecord)

/** Stores the record of a turn, and answers the digest of its bytes. */
export const keep = Effect.fnUntraced(function* (key: string, record: TurnRecord) {
  const bytes = utf8(canonicalJson(record))
  yield* (yield* ObjectStore).put(key, bytes).pipe(Effect.catchTag("InvalidKey", Effect.die))
  return yield* sha256(bytes)
})

/** The record of a turn that has ended. Fails with `TurnFailed` when it is gone, or is not what was stored. */
export const read = Effect.fnUntraced(
  function* (key: string, digest: string | undefined) {
    const bytes = yield* (yield* ObjectStore).get(key)
    if (digest !== undefined && (yield* sha256(bytes)) !== digest)
      return yield* new TurnFailed({ reason: `what was kept of the turn is not what it was: ${key}` })
    return yield* Schema.decodeEffect(Json)(textOf(bytes))
  },
  Effect.catchTags({
    InvalidKey: Effect.die,
    ObjectMissing: ({ key }) => new TurnFailed({ reason: `what was kept of the turn is gone: ${key}` }),
    SchemaError: () => new TurnFailed({ reason: "another version kept the turn", diverged: true })
  })
)
