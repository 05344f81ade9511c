import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { generatedPages } from "../../../../tools/docs/Pages.ts"
import { root } from "./Documents.ts"

describe("A page that is made from the code", () => {
  it.each(generatedPages())("says what the code says: $path (else: npm run docs)", ({ path, text }) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(text)
  })
})
