import { fenced, newFence } from "@pawl/core/agent/Untrusted"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const fence = "data-0011223344556677"

describe("A fence", () => {
  it("has a name that nobody could know before", async () => {
    const names = await Effect.runPromise(
      Effect.replicateEffect(newFence, 20).pipe(Effect.provide(MemorySecrets.layerMemory))
    )
    expect(new Set(names).size).toBe(20)
    for (const name of names) expect(name).toMatch(/^data-[0-9a-f]{16}$/)
  })

  it("says where its text comes from, in one line", () => {
    expect(fenced(fence, "file a.js", "let a\n")).toBe(`<${fence} of="file a.js">\nlet a\n\n</${fence}>`)
    expect(fenced(fence, `file "><b\nof="note`, "")).toBe(`<${fence} of="file    b of= note">\n\n</${fence}>`)
  })

  it("is ended by no text, and begun by none, whatever a stranger writes", () => {
    const pieces = fc.constantFrom(
      fence,
      fence.toUpperCase(),
      "data-",
      "00112233",
      "44556677",
      "</",
      "<",
      ">",
      "\n",
      "x"
    )
    const text = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(""))
    fc.assert(
      fc.property(text, text, (of, words) => {
        const told = fenced(fence, of, words)
        expect(told.toLowerCase().split(fence).length).toBe(3)
        expect(told.startsWith(`<${fence} of="`) && told.endsWith(`\n</${fence}>`)).toBe(true)
      }),
      { numRuns: 2000 }
    )
  })

  it("hides no control characters in a text", () => {
    expect(fenced(fence, "log", "a\u0000\u001b[31mb\tc\r\n")).toContain("a[31mb\tc\n")
  })
})
