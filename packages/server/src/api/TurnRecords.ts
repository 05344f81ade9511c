/** A turn of an agent's run, as an answer tells it. All texts are data: what stands in a fence was written by strangers. */
import { Schema } from "effect"
import { StopReason } from "@pawl/core/agent/Models"
import { withWireNames } from "@pawl/core/primitives/WireNames"
import { ModelCallRecord } from "./RecordSchemas.ts"

const CalledTool = Schema.Struct({
  /** Names the call in its result. */
  id: Schema.String,
  name: Schema.String,
  /** The arguments; null when they were no JSON. */
  input: Schema.Unknown,
  /** The arguments as they were sent, when they were no JSON. */
  raw: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "CalledTool" })

/** One thing that was said. */
const SaidPart = Schema.Struct({
  /** Pawl, the model, or a tool that it called. */
  from: Schema.Literals(["user", "model", "tool"]),
  text: Schema.String,
  /** What the model called. */
  calls: Schema.optionalKey(Schema.Array(CalledTool)),
  /** Of a tool: the call that this is the result of, and whether it failed. */
  callId: Schema.optionalKey(Schema.String),
  failed: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "SaidPart" })
/** One thing that was said, as it stands in an answer. */
export type SaidPart = typeof SaidPart.Type

/** One turn. `asked` and `answered` are null before it is answered, and when they are not kept any more. */
export const TurnAnswer = Schema.Struct({
  turn: Schema.Finite,
  /** What its calls cost together, in US dollars. */
  costUsd: Schema.Finite,
  modelCalls: Schema.Array(ModelCallRecord),
  asked: Schema.NullOr(
    Schema.Struct({
      /** What the model was told before everything else. */
      system: Schema.String,
      /** The names of the tools that it might call. */
      tools: Schema.Array(Schema.String),
      /** How many parts of the talk stand in the turns before; 0 where all of it stands here. */
      after: Schema.Finite,
      /** What was said since. */
      parts: Schema.Array(SaidPart)
    })
  ),
  answered: Schema.NullOr(
    Schema.Struct({
      text: Schema.String,
      calls: Schema.Array(CalledTool),
      /** Why the model stopped. */
      stop: StopReason
    })
  )
}).pipe(withWireNames({ costUsd: "cost_usd" }), Schema.annotateEncoded({ identifier: "Turn" }))
