import { Limits } from "@pawl/core/primitives/Limits"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ConsoleLines } from "../../../src/runtime/console/ConsoleLines.ts"

const read = (chunks: ReadonlyArray<Buffer>) => {
  const got: Array<string> = []
  const lines = new ConsoleLines({
    takes: () => true,
    printed: ({ level, text }) => got.push(`${level} ${text}`),
    threw: (text) => got.push(`threw ${text}`)
  })
  for (const chunk of chunks) lines.feed(chunk)
  return got
}
const printed = (level: string, message: string) => `${JSON.stringify({ timestamp: 5, level, message })}\n`
const own = (source: string, message: string) =>
  `${JSON.stringify({ timestamp: "5", level: "info", source, message, context_depth: 0 })}\n`

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\\", '"', "\n", "{", "\u0000", "\ud83e"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 })
  ),
  maxLength: 60
})
const level = fc.constantFrom("debug", "log", "info", "warn", "error")

describe("reading what workerd writes", () => {
  it("gives back what was printed, wherever the output is cut into chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(level, text), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(200)),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.map(([as, message]) => printed(as, message)).join(""))
          const chunks: Array<Buffer> = []
          let from = 0
          for (const cut of cuts) chunks.push(bytes.subarray(from, (from = Math.min(bytes.length, from + cut))))
          chunks.push(bytes.subarray(from))
          expect(read(chunks)).toEqual(lines.map(([as, message]) => `${as} ${message}`))
        }
      ),
      { seed: 1, numRuns: 300 }
    )
  })

  it("takes nothing that is printed for a word of workerd's, and tells an error once", () => {
    const source = "workerd/io/worker.c++:2825"
    const thrown = "uncaught exception; source = Uncaught (in promise); stack = Error: e\n    at f (src/a.js:1:2)"
    const again = own(
      "workerd/io/io-context.c++:611",
      "uncaught exception; exception = workerd/jsg/value.h:1: failed: jsg.Error: e\nstack: /opt/workerd@1 /opt/workerd@2"
    )
    const told = "threw Error: e\n    at f (src/a.js:1:2)"
    expect(read([Buffer.from(own(source, thrown) + again)])).toEqual([told])
    expect(read([Buffer.from(again)])).toEqual(["threw Error: e"])
    expect(read([Buffer.from(printed("log", own(source, thrown)))])).toEqual([`log ${own(source, thrown)}`])
    expect(read([Buffer.from(own("workerd/server/server.c++:1", thrown))])).toEqual([])
  })

  it("ends with any bytes at all, and keeps no more of a line than may be a line", () => {
    const hostile = [
      "\\".repeat(100_000),
      "\n".repeat(100_000),
      '"'.repeat(100_000),
      "\u0000".repeat(100_000),
      "1:".repeat(50_000)
    ]
    for (const message of hostile) {
      const [line = ""] = read([Buffer.from(printed("log", message))])
      expect(message.startsWith(line.slice("log ".length))).toBe(true)
      expect(line.length).toBeGreaterThanOrEqual(Limits.appLogLineBytes)
      expect(line.length).toBeLessThanOrEqual(6 * Limits.appLogLineBytes + 256)
      expect(
        read([Buffer.from(own("workerd/io/worker.c++:1", `uncaught exception; source = U; stack = ${message}`))])
      ).toHaveLength(1)
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void read([Buffer.from(bytes), Buffer.from("\n")])),
      { seed: 2 }
    )
  })
})
