import { expect, test } from "vitest"
import { Limits } from "../../src/primitives/Limits.ts"
import { requestLabel } from "../../src/app/LogText.ts"

test.each([
  ["/a/b", "GET /a/b"],
  ["/a?token=secret", "GET /a"],
  ["/a#token=secret?x", "GET /a"],
  ["https://user:secret@app.example:8443/a/b?token=secret#x", "GET /a/b"],
  ["https://app.example?token=secret", "GET /"],
  ["http://[::1]:80", "GET /"],
  ["//other.example/a?b", "GET //other.example/a"],
  ["/to?next=https://other.example/b", "GET /to"],
  ["?token=secret", "GET /"],
  ["", "GET /"]
])("what a line of the log calls a request for %j has its path alone: %s", (url, label) => {
  expect(requestLabel({ method: "GET", url })).toBe(label)
})

test("a long path is cut", () => {
  expect(requestLabel({ method: "PUT", url: `/${"a".repeat(10_000)}` })).toBe(
    `PUT /${"a".repeat(Limits.repeatedLength - 1)}`
  )
})
