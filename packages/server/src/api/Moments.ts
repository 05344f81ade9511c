/** Points in time in requests: any ISO 8601 date and time with a zone, kept in UTC. */
import { fromMillis, Timestamp } from "@pawl/core/primitives/Time"
import { DateTime, Option, ParseResult, Schema } from "effect"

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

export const Moment = Schema.transformOrFail(Schema.String, Timestamp, {
  strict: true,
  decode: (text, _, ast) => {
    const moment = shape.test(text) ? DateTime.make(text) : Option.none()
    return Option.isSome(moment)
      ? ParseResult.succeed(fromMillis(DateTime.toEpochMillis(moment.value)))
      : ParseResult.fail(new ParseResult.Type(ast, text, "use an ISO 8601 time such as 2027-01-31T12:00:00Z"))
  },
  encode: ParseResult.succeed
}).annotate({ jsonSchema: { type: "string", format: "date-time" } })
