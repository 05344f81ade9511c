import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { pageOf, read } from "@pawl/sql/KnownPages"

const head = (n: number) =>
  JSON.stringify({
    projectId: `proj_00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    generation: n,
    commit: "a".repeat(40),
    tree: "b".repeat(40),
    syncedGeneration: 0
  })
const lines = (...numbers: ReadonlyArray<number>) => numbers.map((n) => `${n} ${n + 1} ${head(n)}`).join("\n")
const rows = (...numbers: ReadonlyArray<number>) =>
  numbers.map((n) => ({ position: n, revision: n + 1, data: head(n), id: String(n) }))

describe("a page that was read as one text", () => {
  it("is what its rows are, with a cursor while there is more behind it", () => {
    for (const limit of [2, 3, 4])
      expect(read("head", lines(3, 2, 1), limit)).toEqual(Result.getOrThrow(pageOf("head", rows(3, 2, 1), limit)))
    expect(read("head", null, 3)).toEqual({ items: [], cursors: [], nextCursor: null })
  })

  it("is the same page again, and of another one the rows that did not change are the same records", () => {
    const page = read("head", lines(6, 5), 2)!
    expect(read("head", lines(6, 5), 2)).toBe(page)
    const next = read("head", `7 1 ${head(9)}\n${lines(5)}`, 2)!
    expect(next.items[0]).toMatchObject({ revision: 1, record: { generation: 9 } })
    expect(next.items[1]!.record).toBe(page.items[1]!.record)
  })

  it("is not answered for another kind or another limit", () => {
    read("head", lines(8), 1)
    expect(read("change", lines(8), 1)).toBeNull()
    expect(read("head", lines(8), 5)).toEqual({ ...read("head", lines(8), 1), nextCursor: null })
  })

  it("is left to its rows when one of them is not what the store writes", () => {
    const pretty = JSON.stringify(JSON.parse(head(1)), null, 2)
    for (const bad of ["", "{}", "no JSON", pretty, `${head(1)}\n`])
      expect(read("head", `${lines(2)}\n1 2 ${bad}`, 5)).toBeNull()
  })
})
