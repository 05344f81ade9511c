/**
 * The process that reads source maps: they come of builds that anyone may have written, and the largest take long to be
 * read. Its parent bounds its memory and its time, and kills it.
 */
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping"
import type { StackAnswer, StackOrder } from "./StackMessages.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

const maps = new Map<string, TraceMap | null>()

/** A map that cannot be read says nothing. */
const read = (bytes: Uint8Array): TraceMap | null => {
  try {
    return new TraceMap(textOf(bytes))
  } catch {
    return null
  }
}

const placeOf = ({ column, line, map }: StackOrder["frames"][number]): StackAnswer["places"][number] => {
  const known = maps.get(map)
  if (known === undefined || known === null || line < 1) return null
  try {
    const found = originalPositionFor(known, { line, column: Math.max(0, column - 1) })
    return found.source === null ? null : { source: found.source, line: found.line, column: found.column + 1 }
  } catch {
    return null
  }
}

process.once("disconnect", () => process.exit(0))
process.on("message", ({ forget, frames, maps: more, order }: StackOrder) => {
  for (const digest of forget) maps.delete(digest)
  for (const [digest, bytes] of more) maps.set(digest, read(bytes))
  process.send?.({ order, places: frames.map(placeOf) } satisfies StackAnswer)
})
