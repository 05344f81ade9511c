/** The console keeps answers by their names. Two places that ask for one name and make two shapes of it break each other. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const sources = join(import.meta.dirname, "../../packages/console/src")

/** A name in words: of whom, and the texts that follow; the ids in it do not matter. */
const name = /keys\.(project|ofProject|change|ofChange|candidate|ofCandidate)\(([^)]*)\)/
const asks = /(?:useAnswer|usePages)(?:<[^>]*>)?\(\s*(keys\.\w+\([^)]*\))|queryKey: (keys\.\w+\([^)]*\)),\s*queryFn/g

const named = (text: string): string => {
  const [, of = "", given = ""] = name.exec(text) ?? []
  return `${of}(${given
    .split(",")
    .slice(1)
    .map((each) => each.trim())
    .join(", ")})`
}

const withoutComments = (text: string): string => text.replace(/\/\*[^]*?\*\//g, "")

describe("A name of an answer", () => {
  it("is asked for in one place, so that it has one shape", () => {
    const places = new Map<string, Array<string>>()
    for (const file of globSync("**/*.{ts,tsx}", { cwd: sources }))
      for (const [, first, second] of withoutComments(readFileSync(join(sources, file), "utf8")).matchAll(asks)) {
        const asked = named(first ?? second ?? "")
        places.set(asked, [...(places.get(asked) ?? []), file])
      }
    expect(places.size).toBeGreaterThan(20)
    expect([...places].filter(([, files]) => files.length > 1)).toEqual([])
  })
})
