import { Result, Schema } from "effect"
import { expect, it } from "vitest"
import { inWords, shapeProblems, telling } from "@pawl/core/primitives/ShapeProblems"

const Shape = Schema.Struct({
  list: Schema.optional(Schema.Array(Schema.String)),
  name: Schema.NullOr(Schema.String),
  count: Schema.optional(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 5 }))),
  wanted: Schema.optional(Schema.Boolean),
  mode: Schema.optional(Schema.Literals(["on", "off"])),
  inner: Schema.optional(Schema.Struct({ id: Schema.String }))
})

const said = (value: unknown): ReadonlyArray<string> => {
  const decoded = Schema.decodeUnknownResult(Shape, { ...telling, errors: "all" })(value)
  return Result.isFailure(decoded) ? shapeProblems(decoded.failure).map(inWords) : []
}

it.each([
  [{ name: "a", list: {} }, "list: Expected an array, actual {}"],
  [{ name: "a", list: [1] }, "list.0: Expected a string, actual 1"],
  [{ name: 1 }, "name: Expected a string or null, actual 1"],
  [{ name: "a", count: "3" }, 'count: Expected a number, actual "3"'],
  [{ name: "a", count: 6 }, "count: Expected a value between 1 and 5, actual 6"],
  [{ name: "a", wanted: "yes" }, 'wanted: Expected true or false, actual "yes"'],
  [{ name: "a", mode: "of, got it" }, 'mode: Expected "on" | "off", actual "of, got it"'],
  [{ name: "a", inner: [] }, "inner: Expected an object, actual []"],
  [{ name: "a", inner: {} }, "inner.id: is missing"],
  [null, "Expected an object, actual null"]
])("of %j is told where, and what was expected, in words that fit JSON", (value, words) => {
  expect(said(value)).toEqual([words])
})

it("are all told where all are asked for, and none where nothing is wrong", () => {
  expect(said({ name: 1, wanted: 2 })).toEqual([
    "name: Expected a string or null, actual 1",
    "wanted: Expected true or false, actual 2"
  ])
  expect(said({ name: null })).toEqual([])
})
