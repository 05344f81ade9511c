/** Points in time in requests: any ISO 8601 date and time with a zone, kept in UTC. */
import { fromMillis, Timestamp } from "@pawl/core/primitives/Time"
import { DateTime, Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Decoded to a `Timestamp`; what is no date and time with a zone is refused. */
export const Moment = Schema.String.annotate({ format: "date-time" }).pipe(
  Schema.decodeTo(
    Timestamp,
    SchemaTransformation.transformEffect({
      decode: (text, options) =>
        Option.match(shape.test(text) ? DateTime.make(text) : Option.none(), {
          onSome: (moment) => Effect.succeed(fromMillis(DateTime.toEpochMillis(moment))),
          onNone: () =>
            Effect.fail(
              new SchemaIssue.InvalidValue(
                { message: "use an ISO 8601 time such as 2027-01-31T12:00:00Z" },
                text,
                options
              )
            )
        }),
      encode: Effect.succeed
    })
  )
)
