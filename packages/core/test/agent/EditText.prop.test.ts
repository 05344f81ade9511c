import { edited } from "@pawl/core/agent/EditText"
import { Result } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"

const line = fc.constantFrom("a", "b", "  a", "a ", "b\t", "", "let a = b", "}")
const end = fc.constantFrom("\n", "\r\n")
const text = fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 12 }).map((lines) => lines.flat().join(""))
const span = fc.tuple(fc.nat(60), fc.nat(20))
const blind = (words: string) => words.replace(/[ \t]*\r?\n/g, "\n").replace(/[ \t]+$/, "")

it("an edit lands exactly where its words stand, or is refused", () => {
  fc.assert(
    fc.property(text, span, text, (file, [from, length], by) => {
      const old = file.slice(from, from + length)
      const made = edited(file, { old, new: by })
      if (Result.isFailure(made)) {
        const again = file.indexOf(old, file.indexOf(old) + 1)
        expect(["empty", "same", "ambiguous"]).toContain(made.failure.code)
        if (made.failure.code === "ambiguous") expect(again).toBeGreaterThan(-1)
        return
      }
      const at = file.indexOf(old)
      const { text: after } = made.success
      expect(after.startsWith(file.slice(0, at))).toBe(true)
      expect(after.endsWith(file.slice(at + old.length))).toBe(true)
      expect(blind(after.slice(at, after.length - (file.length - at - old.length)))).toBe(blind(by))
    }),
    { numRuns: 5000 }
  )
})

it("an edit of any words changes nothing but whole lines that are the same but for their ends", () => {
  fc.assert(
    fc.property(text, text, (file, old) => {
      const made = edited(file, { old, new: "NEW" })
      if (Result.isFailure(made)) return
      const [before, after, ...more] = made.success.text.split("NEW")
      expect(more).toEqual([])
      expect(file.startsWith(before ?? "?")).toBe(true)
      expect(file.endsWith(after ?? "?")).toBe(true)
      const gone = file.slice(before?.length, file.length - (after?.length ?? 0))
      expect([blind(old), blind(old.replace(/\r?\n$/, ""))]).toContain(blind(gone))
    }),
    { numRuns: 5000 }
  )
})
