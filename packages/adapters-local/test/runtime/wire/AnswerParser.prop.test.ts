import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type AnswerHead, AnswerParser } from "../../../src/runtime/wire/AnswerParser.ts"

interface Read {
  readonly head: AnswerHead
  readonly body: string
}

/** What a parser makes of an answer that comes in pieces; the error's message when it refuses. */
const parse = (pieces: ReadonlyArray<Buffer>, bodiless = false): ReadonlyArray<Read> | string => {
  const answers: Array<{ head: AnswerHead; body: string; ended: boolean }> = []
  const parser = new AnswerParser({
    head: (head) => void answers.push({ head, body: "", ended: false }),
    data: (bytes) => (answers.at(-1)!.body += bytes.toString("latin1")),
    end: () => (answers.at(-1)!.ended = true)
  })
  parser.begin(bodiless)
  try {
    for (const piece of pieces) parser.feed(piece)
  } catch (error) {
    return error instanceof Error ? error.message : "?"
  }
  return answers.filter(({ ended }) => ended).map(({ body, head }) => ({ body, head }))
}

const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => bytes.subarray(from, [...at, bytes.length][index]))
}

const body = fc.string({ maxLength: 200, unit: "binary-ascii" })
const headerList = fc.array(
  fc.tuple(fc.stringMatching(/^x-[a-z]{1,8}$/), fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)),
  {
    maxLength: 5
  }
)
const status = fc.constantFrom(200, 201, 301, 404, 500)
const chunks = fc.array(
  body.filter((text) => text !== ""),
  { maxLength: 6 }
)

const written = (code: number, headers: ReadonlyArray<readonly [string, string]>, framing: string, rest: string) =>
  Buffer.from(
    `HTTP/1.1 ${code} Some Reason\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}${framing}\r\n\r\n${rest}`,
    "latin1"
  )

describe("an answer of a process", () => {
  it("is read alike wherever it is cut, with a length and in chunks", () => {
    fc.assert(
      fc.property(
        status,
        headerList,
        chunks,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        (code, headers, parts, places, inChunks) => {
          const whole = parts.join("")
          const bytes = inChunks
            ? written(
                code,
                headers,
                "Transfer-Encoding: chunked",
                `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`
              )
            : written(code, headers, `Content-Length: ${whole.length}`, whole)
          const read = parse(cut(bytes, places))
          expect(read).toEqual([
            {
              body: whole,
              head: {
                status: code,
                headers: [
                  ...headers,
                  inChunks ? ["transfer-encoding", "chunked"] : ["content-length", String(whole.length)]
                ],
                length: inChunks ? null : whole.length
              }
            }
          ])
        }
      ),
      { seed: 20_261_121, numRuns: 500 }
    )
  })

  it("has no body after HEAD, 204 and 304, whatever its length says", () => {
    expect(parse([written(200, [], "Content-Length: 7", "")], true)).toMatchObject([{ body: "" }])
    for (const code of [204, 304]) expect(parse([written(code, [], "X-A: b", "")])).toMatchObject([{ body: "" }])
  })

  it("is read anew behind one with the same head, and behind one with another", () => {
    const heads = {
      plain: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
      closing: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n",
      refused: "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\n"
    }
    const told: Array<string> = []
    const parser = new AnswerParser({
      head: ({ length }) => void told.push(`${length}`),
      data: (bytes) => void told.push(bytes.toString("latin1")),
      end: () => void told.push("end")
    })
    for (const [name, body, bodiless] of [
      ["plain", "one", false],
      ["plain", "", true],
      ["closing", "two", false],
      ["closing", "", true],
      ["plain", "tri", false]
    ] as const) {
      parser.begin(bodiless)
      parser.feed(Buffer.from(heads[name] + body, "latin1"))
      expect(parser.closes).toBe(name === "closing")
    }
    expect(told).toEqual(["3", "one", "end", "3", "end", "3", "two", "end", "3", "end", "3", "tri", "end"])
    for (const _ of [1, 2]) {
      parser.begin(false)
      expect(() => parser.feed(Buffer.from(heads.refused, "latin1"))).toThrow("a bad length")
    }
  })

  it.each([
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na"],
    ["no length", "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\na"],
    ["a length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na"],
    ["another transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    ["a chunk of a bad size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\n\r\n"],
    ["a chunk longer than its size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"],
    ["more than one answer", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n"],
    ["an interim answer", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"],
    ["another protocol", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n"],
    ["a head without an end", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(70_000)}`]
  ])("is refused with %s", (_, text) => {
    expect(parse([Buffer.from(text, "latin1")])).toEqual(expect.any(String))
  })
})
