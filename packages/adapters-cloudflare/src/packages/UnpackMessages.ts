/** What the Worker that unpacks archives answers. */
import { UnpackedFacts } from "@pawl/adapters-local/packages/UnpackedFacts"
import { PackageProblem } from "@pawl/core/packages/PackageStore"
import { Schema } from "effect"

/** What comes of an archive. */
export const UnpackAnswer = Schema.Union([
  Schema.TaggedStruct("Unpacked", {
    facts: UnpackedFacts,
    /** The bytes of each of `facts.files`, and all of them one after the other. */
    lengths: Schema.Array(Schema.Finite),
    content: Schema.Uint8Array
  }),
  /** It says oddly which programs it has; `words` go on after the package. */
  Schema.TaggedStruct("WrongPrograms", { words: Schema.String }),
  Schema.TaggedStruct("Refused", { problems: Schema.Array(PackageProblem) })
])
export type UnpackAnswer = typeof UnpackAnswer.Type
