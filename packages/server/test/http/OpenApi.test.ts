/** The contract as clients know it: `openapi-v3.json.gz` is the document that the server answered on Effect 3. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { openApiDocument } from "@pawl/server/api/index"
import { describe, expect, it } from "vitest"

interface Difference {
  readonly at: string
  readonly was: unknown
  readonly is: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Field by field. What is missing on one side is undefined there. */
const differences = (was: unknown, is: unknown, at = ""): ReadonlyArray<Difference> => {
  if (was === is) return []
  if (!isObject(was) || !isObject(is) || Array.isArray(was) !== Array.isArray(is)) return [{ at, was, is }]
  return Array.from(new Set([...Object.keys(was), ...Object.keys(is)])).flatMap((key) =>
    differences(was[key], is[key], `${at} ${key}`)
  )
}

/** Each with its reason. */
const allowed: ReadonlyArray<Difference & { readonly because: string }> = [
  {
    at: " paths /v1/evidence/{id}/output get responses 200 content text/plain schema description",
    was: undefined,
    is: "a string",
    because: "the words of the answer stand at its schema too: it is the schema that says them to the answer"
  }
]

describe("The OpenAPI document", () => {
  it("has every field that it had on Effect 3, and no other but those with a reason", () => {
    const before: unknown = JSON.parse(
      gunzipSync(readFileSync(new URL("./openapi-v3.json.gz", import.meta.url))).toString()
    )
    const now: unknown = JSON.parse(JSON.stringify(openApiDocument))
    expect(differences(before, now)).toEqual(allowed.map(({ because: _, ...difference }) => difference))
  })
})
