/** What a check said, as it is kept beside its evidence. */
import { Effect } from "effect"
import type { Evidence } from "../model/Evidence.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { readUpTo } from "../primitives/BoundedBytes.ts"
import { textOf } from "../primitives/Utf8.ts"

/**
 * The end of a check's output as text, of at most so many bytes; null when it said nothing. Retention may have removed
 * it: then that is null too.
 */
export const outputEnd = Effect.fnUntraced(
  function* (row: Pick<Evidence, "outputKey"> | undefined, bytes: number) {
    if (row === undefined || row.outputKey === null) return null
    const objects = yield* ObjectStore
    const { sizeBytes } = yield* objects.head(row.outputKey)
    if (sizeBytes === 0) return null
    const range = { start: Math.max(0, sizeBytes - bytes), end: sizeBytes }
    return textOf(yield* readUpTo(objects.stream(row.outputKey, range), bytes))
  },
  Effect.catchTags({ ObjectMissing: () => Effect.succeed(null), InvalidKey: Effect.die })
)
