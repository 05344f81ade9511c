import { Limits } from "@pawl/core/primitives/Limits"
import { describe, expect, it } from "vitest"
import { type TailItem, tailLines } from "@pawl/adapters-cloudflare/runtime/TailLines"

const item = (fields: Partial<TailItem> = {}): TailItem => ({
  event: { request: { method: "GET", url: "https://shop.example/cart?card=4111" } },
  logs: [],
  exceptions: [],
  outcome: "ok",
  ...fields
})
const printed = (message: unknown, fields: Partial<TailItem["logs"][number]> = {}) =>
  item({ logs: [{ level: "log", message, ...fields }] })
const textOf = (one: TailItem) => tailLines([one]).lines.map(({ text }) => text)

describe("What a tail Worker is told", () => {
  it("is a line for each that was printed, in order, with its level; one that is unknown is a log", () => {
    const logs = ["debug", "log", "info", "warn", "error", "trace"].map((level) => ({ level, message: [level] }))
    expect(tailLines([item({ logs }), item({ logs })])).toEqual({
      lines: [...logs, ...logs].map(({ level }) => ({
        level: level === "trace" ? "log" : level,
        source: "console",
        text: level
      })),
      dropped: 0
    })
  })

  it("is written as a console would: texts plain, all else as JSON, errors with their frames once", () => {
    expect(textOf(printed(["a", 1, true, null, undefined, { of: [2] }, "b c"]))).toEqual([
      'a 1 true null undefined {"of":[2]} b c'
    ])
    const error = { name: "Error", message: "e", stack: "    at f (i.js:1:2)" }
    expect(textOf(printed(["saw", "Error: e"], { errorInfo: [null, error] }))).toEqual([
      "saw Error: e\n    at f (i.js:1:2)"
    ])
    expect(textOf(printed(["Error: e\n    at f (i.js:1:2)"], { errorInfo: [error] }))).toEqual([
      "Error: e\n    at f (i.js:1:2)"
    ])
    expect(textOf(printed("no list"))).toEqual(["no list"])
  })

  it("names the request that an error ended, without its query, and says of another that nobody caught it", () => {
    const exceptions = [{ name: "TypeError", message: "boom", stack: "    at f (i.js:1:2)" }]
    const line = (text: string) => [{ level: "error", source: "exception", text }]
    expect(tailLines([item({ exceptions, outcome: "exception" })]).lines).toEqual(
      line("GET /cart: TypeError: boom\n    at f (i.js:1:2)")
    )
    expect(tailLines([item({ exceptions })]).lines).toEqual(line("Uncaught TypeError: boom\n    at f (i.js:1:2)"))
    expect(tailLines([item({ event: null, exceptions, outcome: "exception" })]).lines).toEqual(
      line("TypeError: boom\n    at f (i.js:1:2)")
    )
  })

  it("names the bound that stopped a call, and what Cloudflare left out, and nothing for an end like any other", () => {
    const limit = (text: string) => [{ level: "error", source: "limit", text }]
    const exceptions = [{ name: "Error", message: "Worker exceeded CPU time limit." }]
    expect(tailLines([item({ outcome: "exceededCpu", exceptions })]).lines).toEqual(
      limit("GET /cart: stopped: it used more CPU time than the 50 ms of a request")
    )
    expect(tailLines([item({ outcome: "exceededMemory" })]).lines).toEqual(
      limit("GET /cart: stopped: it used more memory than an isolate may")
    )
    expect(tailLines([item({ truncated: true })]).lines).toMatchObject([{ level: "warn", source: "limit" }])
    for (const outcome of ["ok", "canceled", "toString"]) expect(tailLines([item({ outcome })]).lines).toEqual([])
  })

  it("is cut to the length of a line, holds nothing that a terminal obeys, and comes to 100 lines at most", () => {
    const [long = ""] = textOf(printed(["ä".repeat(Limits.appLogLineBytes)]))
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(Limits.appLogLineBytes)
    expect(textOf(printed(["\u001b[31mred"]))).toEqual(["\u241b[31mred"])
    const many = item({ logs: Array.from({ length: 130 }, (_, at) => ({ level: "log", message: [at] })) })
    const { dropped, lines } = tailLines([many, many])
    expect([lines.length, dropped, lines.at(-1)?.text]).toEqual([100, 160, "99"])
  })
})
