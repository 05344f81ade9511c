/** What a check said, from the object that holds its whole output. */
import type { Evidence } from "@pawl/core/evidence/Evidence"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { ServerLimits } from "../ServerLimits.ts"
import { Chunk, Effect, Stream } from "effect"

/** At most `max` bytes of the output; null when there is none any more. */
const bytesOf = (evidence: Evidence, max: number) =>
  Effect.gen(function* () {
    const key = evidence.outputKey
    if (key === null) return null
    const objects = yield* ObjectStore
    const chunks = yield* objects.stream(key, { start: 0, end: max }).pipe(
      Stream.runCollect,
      Effect.map((read): ReadonlyArray<Uint8Array> | null => Chunk.toReadonlyArray(read)),
      Effect.catchTags({ ObjectMissing: () => Effect.succeed(null), InvalidKey: Effect.die })
    )
    if (chunks === null) return null
    const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
    chunks.reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0)
    return whole
  })

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

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

/** The whole output as text. */
export const outputOf = (evidence: Evidence) =>
  Effect.flatMap(bytesOf(evidence, Number.MAX_SAFE_INTEGER), (bytes) =>
    bytes === null ? new Unknown({ kind: "output", id: evidence.id }) : Effect.succeed(textOf(bytes))
  )
