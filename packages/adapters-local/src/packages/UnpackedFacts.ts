/** What is known of an unpacked archive, as it is kept beside its files. */
import { Result, Schema } from "effect"
import { Base64, Hex } from "effect/encoding"

/** What is known of an unpacked package without looking into its files. */
export const UnpackedFacts = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  bytes: Schema.Finite,
  license: Schema.NullOr(Schema.String),
  scripts: Schema.Array(Schema.String),
  /** Nothing in it works before a script of it has run. */
  needsScript: Schema.Boolean,
  programs: Schema.Array(Schema.Struct({ name: Schema.String, target: Schema.String })),
  /** Paths below the package's folder. */
  files: Schema.Array(Schema.String)
})
export interface UnpackedFacts extends Schema.Schema.Type<typeof UnpackedFacts> {}

/** `sha512-<hex>` of an integrity: a name for files and objects. */
export const digestName = (integrity: string): string => {
  const at = integrity.indexOf("-")
  return `${integrity.slice(0, at)}-${Hex.encode(Result.getOrThrow(Base64.decode(integrity.slice(at + 1))))}`
}
