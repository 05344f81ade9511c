import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const source = new URL("../src/", import.meta.url)

/** Each tagged error of the core, from its name to the end of its class. */
const errors = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) =>
    Array.from(
      readFileSync(new URL(file, source), "utf8").matchAll(
        /export class (\w+) extends Schema\.TaggedError<[\s\S]*?\n(?=\n|$)/g
      ),
      ([text, name = ""]) => ({ name, text })
    )
  )

describe("Every tagged error of the core", () => {
  it("is found", () => {
    expect(errors.length).toBeGreaterThan(70)
    expect(new Set(errors.map(({ name }) => name)).size).toBe(errors.length)
  })

  it.each(errors)("$name says what is wrong, in a sentence of its own", ({ text }) => {
    // One that holds the sentence of somebody else has it as a field.
    expect(text).toMatch(/override get message\(\) \{|^ {2}message: Schema\.String/m)
  })
})
