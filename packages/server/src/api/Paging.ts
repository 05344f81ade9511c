/** What lists take and answer, and how a path names a thing. */
import { Limits } from "@pawl/core/primitives/Limits"
import { Schema } from "effect"

/** An id in a path. Any text is a name of something that may not exist: unknown ones are 404, not 400. */
const PathId = Schema.transform(Schema.String, Schema.String, {
  strict: true,
  decode: (text) => text,
  // The router decodes what it reads; some ids hold a slash or a colon.
  encode: (id) => encodeURIComponent(id)
})

/** `/:id` */
export const ById = Schema.Struct({ id: PathId })

/** A whole number in a query, from `least` to `most`; `initial` is what it is when it is left out. */
export const queryNumber = (least: number, most: number, initial?: number) => {
  const message = () => ({ message: `use one whole number from ${least} to ${most}`, override: true })
  return Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: least, maximum: most })).annotate({
    message,
    jsonSchema: {
      type: "integer",
      minimum: least,
      maximum: most,
      ...(initial === undefined ? {} : { default: initial })
    }
  })
}

export const PageParams = Schema.Struct({
  /** At most 100, which is also the default. */
  limit: Schema.optionalKey(queryNumber(1, Limits.pageSize, Limits.pageSize)),
  /** `nextCursor` of the page before. */
  cursor: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^([1-9][0-9]{0,14}|[om][0-9]{0,15}|[0-9]{1,15}~[a-z]+\.[a-z]+:.{1,400})$/, {
        message: "use the nextCursor of a page before"
      })
    )
  )
})
export interface PageParams extends Schema.Schema.Type<typeof PageParams> {}

/** `nextCursor` is null on the last page. */
export const pageOf = <A, I, R>(item: Schema.Codec<A, I, R>) =>
  Schema.Struct({ items: Schema.Array(item), nextCursor: Schema.NullOr(Schema.String) })
