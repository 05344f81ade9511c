/** Fields of a body that nobody knows: ignored, and named in the answer, so that a slip is seen. */
import { Schema } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { short } from "@pawl/core/primitives/ShortText"

/** What nobody knows is ignored, as everywhere. It is kept here to be named in the answer: a slip would be no rule. */
export const keepingOthers = <Fields extends Schema.Struct.Fields>(known: Schema.Struct<Fields>) =>
  Schema.StructWithRest(known, [Schema.Record(Schema.String, Schema.Unknown)])

/** The names of fields. */
export const namesOf = (fields: Schema.Struct.Fields): ReadonlySet<string> => new Set(Object.keys(fields))

/** The fields that are none of these names, each behind `at`. */
export const unknownOf = (sent: object, names: ReadonlySet<string>, at = ""): ReadonlyArray<string> =>
  Object.keys(sent).flatMap((name) => (names.has(name) ? [] : [`${at}${short(name)}`]))

/** What an answer says of such fields: the first of them, and nothing for none. */
export const ignoring = (names: ReadonlyArray<string>): { readonly ignored?: ReadonlyArray<string> } =>
  names.length === 0 ? {} : { ignored: names.slice(0, Limits.pathsNamed) }
