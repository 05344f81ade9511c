import { describe, expect, it } from "vitest"
import { logs } from "../../../../src/node/commands/user/Streams.ts"
import type { Session } from "../../../../src/node/commands/user/Verb.ts"

interface Asked {
  readonly query: { readonly after?: number; readonly cursor?: string; readonly limit: number }
}

/** The sequences of the lines that are shown of so many, the first of which are not kept any more. */
const shown = async (lines: number, limit: string | undefined, from = 1) => {
  const rows = Array.from({ length: lines }, (_, at) => ({
    sequence: from + at,
    time: "",
    channel: "",
    level: "",
    text: ""
  }))
  let asked = 0
  const ask = (_: string, { query }: Asked) => {
    const after = query.cursor === undefined ? query.after : Number(query.cursor)
    asked += 1
    // Another line with each question.
    rows.push({ sequence: from + rows.length, time: "", channel: "", level: "", text: "" })
    if (after === undefined)
      return Promise.resolve({ items: rows.slice(0, lines).slice(-query.limit), nextCursor: null })
    const items = rows.filter(({ sequence }) => sequence > after).slice(0, query.limit)
    return Promise.resolve({ items, nextCursor: items.length < query.limit ? null : String(items.at(-1)?.sequence) })
  }
  const { json } = await logs({
    client: () => ({ ask }),
    has: () => false,
    project: { id: () => Promise.resolve("proj_1") },
    value: (name: string) => (name === "limit" ? limit : undefined)
  } as unknown as Session)
  const { items } = json as { readonly items: ReadonlyArray<{ readonly sequence: number }> }
  return { asked, sequences: items.map(({ sequence }) => sequence) }
}

const upTo = (last: number, count: number) => Array.from({ length: count }, (_, at) => last - count + 1 + at)

describe("The lines that logs shows", () => {
  it.each([
    [101, undefined, upTo(101, 100), 1],
    [101, "500", upTo(101, 101), 2],
    [101, "7", upTo(101, 7), 1],
    [50, "500", upTo(50, 50), 1],
    [1000, "500", upTo(1000, 500), 11],
    [1000, "5000", upTo(1000, 1000), 11]
  ])("of %s with --limit %s are the newest ones, each once", async (lines, limit, sequences, asked) => {
    expect(await shown(lines, limit)).toMatchObject({ sequences })
    expect((await shown(lines, limit)).asked).toBeLessThanOrEqual(asked)
  })

  it("are those that are kept", async () => {
    expect((await shown(300, "500", 701)).sequences).toEqual(upTo(1000, 300))
  })
})
