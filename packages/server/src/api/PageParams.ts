/** What lists take and answer, and how a path names a thing. */
import { Limits } from "@pawl/core/primitives/Limits"
import { matching } from "@pawl/core/primitives/TextPattern"
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import { toldAs } from "./DocumentSchemas.ts"

/** An id in a path. Any text is a name of something that may not exist: unknown ones are 404, not 400. */
const PathId = Schema.String

/** The parameters of a path that names one thing: `/:id`. */
export const ById = Schema.Struct({ id: PathId })

/** A whole number in a query, from `least` to `most`; `initial` is what it is when it is left out. */
export const queryNumber = (least: number, most: number, initial?: number) => {
  const message = `use one whole number from ${least} to ${most}`
  const told = {
    type: "integer",
    minimum: least,
    maximum: most,
    ...(initial === undefined ? {} : { default: initial })
  }
  const text = Schema.declare<string>((value) => typeof value === "string", {
    message,
    toCodecStringTree: () => undefined
  })
  return text.check(toldAs(told)).pipe(
    Schema.decodeTo(
      Schema.Finite.check(Schema.isBetween({ minimum: least, maximum: most }, { message })),
      SchemaTransformation.transformEffect({
        decode: (written, options) => {
          const number = written.trim() === "" ? Number.NaN : Number(written)
          return Number.isInteger(number)
            ? Effect.succeed(number)
            : Effect.fail(new SchemaIssue.InvalidValue({ message }, written, options))
        },
        encode: (number) => Effect.succeed(String(number))
      })
    )
  )
}

/** The query of every list. */
export const PageParams = Schema.Struct({
  /** At most 100, which is also the default. */
  limit: Schema.optionalKey(queryNumber(1, Limits.pageSize, Limits.pageSize)),
  /** `nextCursor` of the page before. */
  cursor: Schema.optionalKey(
    Schema.String.check(
      matching(
        String.raw`^([1-9][0-9]{0,14}|[om][0-9]{0,15}|[0-9]{1,15}~[a-z]+\.[a-z]+:.{1,400})$`,
        "use the nextCursor of a page before"
      )
    )
  )
})
export interface PageParams extends Schema.Schema.Type<typeof PageParams> {}

/** A query that keeps those of a list that have one of some values: `?name=a`, or `?name=a&name=b`. */
export const oneOfParam = <const L extends ReadonlyArray<string>>(name: string, values: L) => {
  const message = `use one or more of ${values.join(", ")}, each as a ${name}= of its own`
  const value = Schema.Literals(values)
  return Schema.optionalKey(Schema.Union([value, Schema.Array(value)]).annotate({ message }))
}

/** `oneOfParam` of statuses. */
export const statusParam = <const L extends ReadonlyArray<string>>(statuses: L) => oneOfParam("status", statuses)

/** A text of a query that is there once, of 1 to `most` characters that are not all spaces. */
export const textParam = (most: number) => {
  const message = `use one text of 1 to ${most} characters`
  return Schema.optionalKey(
    Schema.String.annotate({ message }).check(matching(String.raw`^(?=[\s\S]*\S)[\s\S]{1,${most}}$`, message))
  )
}

/** Words to look for. */
export const searchParam = textParam(ServerLimits.searchLength)

/** What a description says of a list that is looked through. */
export const searchWords = (what: string, when = "For the others"): string =>
  `${when} at most ${Limits.searchedRecords} ${what} are looked through for one page: it may be short, or empty, and \`nextCursor\` leads on.`

/** `nextCursor` is null on the last page. */
export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ items: Schema.Array(item), nextCursor: Schema.NullOr(Schema.String) })
