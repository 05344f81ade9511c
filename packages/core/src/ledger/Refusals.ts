/** Refusals that any use case may answer. Each is a fact about the request, not a fault of the machine. */
import { short } from "../primitives/ShortText.ts"
import { Schema } from "effect"

/** There is no such thing, or not one the caller may see. */
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { kind: Schema.String, id: Schema.String }) {
  override get message() {
    return `There is no ${this.kind.toLowerCase()} ${short(this.id)} that you may see.`
  }
}

/** A field of the request cannot be used. Nothing was done. */
export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  /** A word for programs, such as `invalid_slug`. */
  code: Schema.String,
  field: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${short(this.field)}: ${this.reason}.`
  }
}
