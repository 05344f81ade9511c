/** What a check said, from the object that holds its whole output. */
import type { Evidence } from "@pawl/core/model/Evidence"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { byteRange, entityTag } from "@pawl/core/primitives/Conditional"
import { withTag } from "../answer/Validators.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
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

/**
 * The whole output, or the part that `Range` asks for, read from its object while it is answered. The bytes are those that
 * the check wrote, so that they have the digest that its evidence names; what of them is no UTF-8 is for the reader to show.
 */
export const outputOf = Effect.fnUntraced(function* (evidence: Evidence) {
  const key = evidence.outputKey
  const unknown = new Unknown({ kind: "output", id: evidence.id })
  if (key === null) return yield* unknown
  const objects = yield* ObjectStore
  const { sizeBytes } = yield* objects
    .head(key)
    .pipe(Effect.catchTags({ ObjectMissing: () => unknown, InvalidKey: Effect.die }))
  const { headers, method } = yield* HttpServerRequest.HttpServerRequest
  const tag = entityTag(evidence.id, evidence.outputDigest ?? key)
  yield* withTag(tag)
  const isWanted = method === "GET" && [undefined, tag].includes(headers["if-range"]?.trim())
  const range = isWanted ? byteRange(headers["range"] ?? null, sizeBytes) : null
  if (range === "unsatisfiable")
    return HttpServerResponse.empty({ status: 416, headers: { "content-range": `bytes */${sizeBytes}` } })
  const { end, start } = range ?? { start: 0, end: sizeBytes }
  return HttpServerResponse.stream(objects.stream(key, range ?? undefined), {
    status: range === null ? 200 : 206,
    contentType: "text/plain; charset=utf-8",
    contentLength: end - start,
    headers: {
      "accept-ranges": "bytes",
      ...(range === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${sizeBytes}` })
    }
  })
})
