/** What a check said, from the object that holds its whole output. */
import type { Evidence } from "@pawl/core/model/Evidence"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { asText } from "../answer/JsonPieces.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { textOf } from "@pawl/core/primitives/Utf8"

/** At most `max` bytes of the output; null when there is none any more. */
const bytesOf = Effect.fnUntraced(function* (evidence: Evidence, max: number) {
  const key = evidence.outputKey
  if (key === null) return null
  const objects = yield* ObjectStore
  const chunks = yield* objects.stream(key, { start: 0, end: max }).pipe(
    Stream.runCollect,
    Effect.map((read): ReadonlyArray<Uint8Array> | null => read),
    Effect.catchTags({ ObjectMissing: () => Effect.succeed(null), InvalidKey: Effect.die })
  )
  if (chunks === null) return null
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  chunks.reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0)
  return whole
})

/** The evidence with the first `ServerLimits.evidenceOutputBytes` of its output; without, when the output is not kept any more. */
export const withOutput = (evidence: Evidence) =>
  Effect.map(bytesOf(evidence, ServerLimits.evidenceOutputBytes + 1), (bytes) =>
    bytes === null
      ? evidence
      : {
          ...evidence,
          output: textOf(bytes.subarray(0, ServerLimits.evidenceOutputBytes)),
          outputTruncated: bytes.length > ServerLimits.evidenceOutputBytes
        }
  )

/** The whole output as text, read from its object while it is answered. */
export const outputOf = Effect.fnUntraced(function* (evidence: Evidence) {
  const key = evidence.outputKey
  const unknown = new Unknown({ kind: "output", id: evidence.id })
  if (key === null) return yield* unknown
  const objects = yield* ObjectStore
  yield* objects.head(key).pipe(Effect.catchTags({ ObjectMissing: () => unknown, InvalidKey: Effect.die }))
  // What is not UTF-8 is shown as such, so the length of the answer is not the object's.
  const text = Stream.encodeText(asText(objects.stream(key)))
  return HttpServerResponse.stream(text, { contentType: "text/plain; charset=utf-8" })
})
