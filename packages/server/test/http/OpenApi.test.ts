/** The contract as clients know it: `openapi-v3.json.gz` is the document that the server answered on Effect 3. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { openApiDocument } from "@pawl/server/api/index"
import { describe, expect, it } from "vitest"

interface Loss {
  readonly at: string
  readonly was: unknown
  readonly is: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Words for people may become others. */
const words: ReadonlyArray<string> = ["description", "summary"]

/** Of a list only what was taken from it; of what a request must have only what came to it: who asks may send less. */
const lostFromList = (was: ReadonlyArray<unknown>, is: ReadonlyArray<unknown>, at: string): ReadonlyArray<Loss> => {
  const asked = at.includes(" requestBody ") && at.endsWith(" required")
  if (asked) return is.every((each) => was.includes(each)) ? [] : [{ at, was, is }]
  const kept = (each: unknown) => is.some((other) => losses(each, other, at).length === 0)
  return was.filter((each) => !kept(each)).map((each) => ({ at, was: each, is }))
}

/** Field by field, what a document has no more of another one. What it has beside that is no loss. */
const losses = (was: unknown, is: unknown, at = ""): ReadonlyArray<Loss> => {
  if (was === is) return []
  if (Array.isArray(was) && Array.isArray(is)) return lostFromList(was, is, at)
  if (!isObject(was) || !isObject(is) || Array.isArray(was) || Array.isArray(is)) return [{ at, was, is }]
  return Object.keys(was).flatMap((key) =>
    words.includes(key) && typeof is[key] === "string" ? [] : losses(was[key], is[key], `${at} ${key}`)
  )
}

const before: unknown = JSON.parse(
  gunzipSync(readFileSync(new URL("./openapi-v3.json.gz", import.meta.url))).toString()
)
const now: unknown = JSON.parse(JSON.stringify(openApiDocument))

describe("The OpenAPI document", () => {
  it("has every field that it had on Effect 3", () => expect(losses(before, now)).toEqual([]))

  it.each([
    [["paths", "/v1/changes/{id}"], null],
    [["components", "schemas", "Task", "properties", "reason"], null],
    [["components", "schemas", "Task", "properties", "status", "enum"], (words: Array<unknown>) => words.slice(1)],
    [
      [
        "paths",
        "/v1/changes/{id}/changesets",
        "post",
        "requestBody",
        "content",
        "application/json",
        "schema",
        "required"
      ],
      (fields: Array<unknown>) => [...fields, "taskId"]
    ]
  ] as const)("would be seen to lose something at %s", (keys, change) => {
    const changed: unknown = structuredClone(now)
    const parent = keys.slice(0, -1).reduce((each, key) => (isObject(each) ? each[key] : undefined), changed)
    const last = keys[keys.length - 1] ?? ""
    if (!isObject(parent) || !(last in parent)) throw new Error(`there is no ${keys.join(" ")}`)
    if (change === null) Reflect.deleteProperty(parent, last)
    else parent[last] = change(Array.isArray(parent[last]) ? parent[last] : [])
    expect(losses(before, changed).map(({ at }) => at)).toEqual([` ${keys.join(" ")}`])
  })
})
