import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

describe("The index of the core", () => {
  it("names every file, and nothing that is not there", () => {
    const source = new URL("../src/", import.meta.url)
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.includes("/") && file.endsWith(".ts")
    )
    const named = [...readFileSync(new URL("index.ts", source), "utf8").matchAll(/from "\.\/(.+)"/g)].map(
      (match) => match[1]!
    )
    expect(named.toSorted()).toEqual(files.toSorted())
  })
})
