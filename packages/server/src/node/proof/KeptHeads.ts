/** What the signer remembers beside its keys: the folder `heads` of a data folder. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Heads, MaterialUnreadable } from "@pawl/core/proof/Material"
import { Effect, Option, Schema } from "effect"
import { smallFile, unreadable } from "./ProofFiles.ts"

const part = "heads"
/** How far a log was signed: no part of an entry is. */
export const Head = Schema.Struct({
  size: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  root: Schema.String
})
const HeadFile = Schema.fromJsonString(Schema.Struct({ origin: Schema.String, ...Head.fields }))

/** Reads all of them; null for a copy without the folder. Fails for a file that is not what the signer wrote. */
export const keptHeads = Effect.fnUntraced(function* (
  data: string
): Effect.fn.Return<Heads | null, MaterialUnreadable> {
  const folder = join(data, part)
  const trying = <A>(work: () => A) =>
    Effect.try({
      try: work,
      catch: (error) => unreadable(part, error instanceof Error ? error.message : String(error))
    })
  if (!existsSync(folder)) return null
  // What is being written has another ending.
  const names = (yield* trying(() => readdirSync(folder))).filter((name) => name.endsWith(".json"))
  const all = yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const text = yield* smallFile(join(folder, name), part, Limits.provenRecordBytes)
      const head = Schema.decodeUnknownOption(HeadFile)(text)
      if (Option.isNone(head)) return yield* unreadable(part, `${name} is not what the signer wrote`)
      const { origin, root, size } = head.value
      return [origin, { size, root }] as const
    })
  )
  return Object.fromEntries(all)
})
