/** Values for requests: such as a schema asks for, and such as programs trip over. */
import * as fc from "fast-check"
import { openApiDocument } from "@pawl/server/api"

/** What exists on the server under test, so that generated requests reach what lies behind the ids. */
export interface Ground {
  readonly token: string
  readonly port: number
  readonly appsDomain: string
  readonly label: string
  /** Ids by what stands before them in a path: `projects`, `changes`. None of them may be destroyed. */
  readonly ids: Readonly<Record<string, string>>
  /** The same, for requests that destroy. */
  readonly doomed: Readonly<Record<string, string>>
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The bytes of a text, one character each. */
export const latin = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** Texts that programs trip over. */
export const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "\u0000",
      "a\u0000b",
      "\ud800",
      "\udfff\ud800",
      "﻿",
      "../../etc/passwd",
      "a/../b",
      ".git/config",
      "__proto__",
      "constructor",
      "toString",
      "%00",
      "%",
      "%ff",
      "'; DROP TABLE projects; --",
      '"',
      "\\",
      "null",
      "NaN",
      "-0",
      "1e999",
      "<script>alert(1)</script>",
      "${7*7}",
      "\r\nX-Injected: 1",
      "İ",
      "ß".repeat(60),
      "x".repeat(300),
      "x".repeat(5000),
      "9999-99-99T99:99:99Z",
      "2999-01-01T00:00:00.000Z",
      "http://169.254.169.254/",
      "javascript:alert(1)",
      "-rf",
      "--upload-pack=sh",
      "a--b",
      "xn--80ak6aa92e"
    )
  }
)

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 3, arbitrary: fc.constantFrom(0, -1, 1.5, 1e308, -1e-7, 2 ** 53, 2 ** 31, true, false, null, [], {}) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constant({ base64: "====" }) }
)

const resolved = (schema: Schema): Schema => {
  const name = schema.$ref?.split("/").at(-1)
  return name === undefined ? schema : (openApiDocument.components.schemas[name] as Schema)
}

/** A value that fits the schema, with ids of the ground where a text may be one. */
const fitting = (given: Schema, ground: Ground): fc.Arbitrary<unknown> => {
  const schema = resolved(given)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => fitting(each, ground)))
  switch (schema.type) {
    case "object": {
      const fields = Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, each]) => [key, fitting(each, ground)])
      )
      const known = fc.record(fields, { requiredKeys: [...(schema.required ?? [])] })
      return isRecord(schema.additionalProperties) && schema.properties === undefined
        ? fc.dictionary(
            fc.oneof(fc.constantFrom("a.txt", "src/index.js", "pawl.json"), oddText),
            fitting(schema.additionalProperties, ground),
            { maxKeys: 4 }
          )
        : known
    }
    case "array":
      return fc.array(fitting(schema.items ?? {}, ground), { maxLength: 4 })
    case "number":
      return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 0, max: 60 }))
    case "integer":
      return fc.integer({ min: -2, max: 20 })
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "string":
      return fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...Object.values(ground.ids)) },
        { weight: 2, arbitrary: fc.stringMatching(/^[a-z]{3,12}$/) },
        { weight: 1, arbitrary: oddText }
      )
    default:
      return oddValue
  }
}

/** Puts an odd value somewhere, drops something, or adds what nobody asked for. */
const bent = (value: unknown, steps: ReadonlyArray<number>, odd: unknown): unknown => {
  const [step = 0, ...rest] = steps
  if (Array.isArray(value) && value.length > 0)
    return value.map((each, at) => (at === step % value.length ? bent(each, rest, odd) : each))
  if (!isRecord(value) || rest.length === 0) return odd
  const keys = Object.keys(value)
  if (keys.length === 0 || step % 7 === 0) return { ...value, [typeof odd === "string" ? odd : "extra"]: odd }
  const key = keys[step % keys.length]!
  if (step % 5 === 0) return Object.fromEntries(Object.entries(value).filter(([each]) => each !== key))
  return { ...value, [key]: bent(value[key], rest, odd) }
}

const brokenJson = fc.constantFrom(
  "{",
  '{"slug":"a"',
  "[".repeat(100_000),
  '{"a":'.repeat(20_000),
  "\xff\xfe{}",
  "\xef\xbb\xbf{}",
  '{"slug":"a","slug":"b"}',
  '{"slug":"\\ud800","name":"\\u0000"}',
  '{"__proto__":{"admin":true},"slug":"p"}',
  "NaN",
  "0",
  '""',
  "[]",
  "null",
  "\x00",
  "{}\x00",
  `{"slug":"${"a".repeat(200_000)}"}`,
  `{"goal":1${"0".repeat(400)}}`
)

/** The body of a request, as bytes: fitting, bent, or no JSON at all. */
export const bodyOf = (schema: Schema | null, ground: Ground): fc.Arbitrary<string> => {
  const whole = fitting(schema ?? { type: "object" }, ground)
  const json = (value: unknown) => latin(JSON.stringify(value) ?? "")
  return fc.oneof(
    { weight: 2, arbitrary: whole.map(json) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(whole, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), oddValue)
        .map(([value, steps, odd]) => json(bent(value, steps, odd)))
    },
    { weight: 2, arbitrary: brokenJson },
    { weight: 1, arbitrary: fc.constant("") }
  )
}
