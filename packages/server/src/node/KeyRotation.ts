/**
 * A key takes the place of another. What was begun is kept beside the keys until it is done: one that was cut short goes on
 * with the same key, when it is asked for again or a server starts, and leaves no chain without a key that may sign it.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { readKey, replaceFile, takeNextKey } from "@pawl/adapters-local/signing/KeyFiles"
import { KeyAlgorithm } from "@pawl/core/model/SigningKey"
import { Signature } from "@pawl/core/model/Statement"
import { allKeys, currentKey } from "@pawl/core/provenance/KeyHistory"
import { proofMessage } from "@pawl/core/provenance/PublicKeys"
import { rotateLog } from "@pawl/core/provenance/LogRotation"
import { rotate, type Succession } from "@pawl/core/provenance/Rotation"
import { Signer } from "@pawl/core/provenance/Signer"
import { Effect, Option, Schema } from "effect"
import type { Options } from "./Options.ts"

const Begun = Schema.Struct({
  /** Who signs that the new key follows: the signer, or a key that only whoever began it has. */
  by: Schema.Literals(["signer", "another"]),
  /** Whether the new key waits in a file beside the one that it follows. */
  inFile: Schema.Boolean,
  next: Schema.Struct({
    key: Schema.Struct({ keyid: Schema.String, spki: Schema.String, algorithm: KeyAlgorithm }),
    use: Schema.Literals(["statement", "log"]),
    name: Schema.optionalKey(Schema.String),
    proof: Schema.String,
    handover: Schema.optionalKey(Signature)
  }),
  /** Of a stolen key: how much of each chain somebody else vouches for. */
  stolen: Schema.NullOr(Schema.Array(Schema.Tuple([Schema.String, Schema.Finite])))
})
/** A rotation that was begun. */
export interface Begun extends Schema.Schema.Type<typeof Begun> {}

const asText = Schema.fromJsonString(Begun)
const decode = Schema.decodeUnknownOption(asText)
const encode = Schema.encodeSync(asText)

const pathOf = ({ data }: Pick<Options, "data">): string => join(data, "rotation")

/** The rotation that was begun and is not done; null for none. */
export const begunRotation = (options: Pick<Options, "data">): Begun | null => {
  const text = readKey(pathOf(options))
  return text === null ? null : Option.getOrNull(decode(text))
}

const end = (options: Pick<Options, "data">) => Effect.sync(() => rmSync(pathOf(options), { force: true }))

/** Does it, from wherever it was left. Refused before anything was changed, it is forgotten. */
export const rotated = Effect.fnUntraced(function* (
  options: Pick<Options, "data">,
  begun: Begun,
  sign: Succession["sign"]
) {
  const { inFile, next, stolen } = begun
  yield* Effect.sync(() => replaceFile(pathOf(options), encode(begun)))
  const succession = { next, sign, stolen: stolen === null ? null : new Map(stolen) }
  // Who begins with another key than the signer's has lost that one.
  const rotation = next.use === "log" ? rotateLog(succession) : rotate({ ...succession, lost: begun.by === "another" })
  yield* Effect.tapErrorTag(rotation, "SigningRefused", ({ code }) =>
    code === "log_behind" ? end(options) : Effect.void
  )
  if (inFile) yield* Effect.sync(() => takeNextKey(options.data, next.use, next.key.keyid))
  yield* end(options)
})

/**
 * Finishes a rotation that was cut short: answers it, and null where there is none. One that a key signs which only whoever
 * began it has, and one whose old key is away, stays as it is.
 */
export const finishRotation = Effect.fnUntraced(function* (options: Pick<Options, "data">) {
  const begun = begunRotation(options)
  if (begun === null) return null
  const { keyid } = begun.next.key
  const keys = yield* allKeys
  const isStated = keys.some(({ record }) => record.keyid === keyid)
  const signer = yield* Signer
  if (!isStated) {
    if (begun.by === "another") return null
    const held = yield* signer.sign("statement", proofMessage(keyid))
    if (held.keyid !== currentKey(keys, "statement")?.record.keyid) return null
  }
  yield* rotated(options, begun, (message) => signer.sign("statement", message))
  return begun
})
