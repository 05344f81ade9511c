import { describe, expect, it } from "vitest"
import { common, intentsOf, overlapsWith, writesOf } from "@pawl/core/claim/Overlaps"
import type { Intent } from "@pawl/core/model/ChangeSet"

const writes = (...values: ReadonlyArray<string>) =>
  writesOf(
    values.map((value): Intent => {
      if (value.startsWith("GET ")) return { kind: "route", value, mode: "write" }
      return { kind: /\.js#/.test(value) ? "symbol" : "path", value, mode: "write" }
    })
  )

describe("What two sides both write", () => {
  it.each([
    ["is a file by its path, where one side knows no more", ["a.js"], ["a.js#add"], [{ path: "a.js", symbol: null }]],
    ["is a symbol, where both know theirs", ["a.js#add", "a.js#sum"], ["a.js#sum"], [{ path: "a.js", symbol: "sum" }]],
    ["is nothing where both write other symbols of one file", ["a.js#add"], ["a.js#sum"], []],
    ["is nothing where both write other files", ["a.js"], ["b.js", "a.jsx"], []],
    ["is the file where one side planned its folder", ["src/"], ["src/a.js"], [{ path: "src/a.js", symbol: null }]],
    [
      "is the file where another puts a file in place of its folder",
      ["a/b.txt"],
      ["a"],
      [{ path: "a/b.txt", symbol: null }]
    ],
    ["is a route, in whatever file", ["a.js#x", "GET /x"], ["b.js#y", "GET /x"], [{ path: null, symbol: "GET /x" }]],
    [
      "knows names of members and files that hold number signs",
      ["c#.js#A.#x"],
      ["c#.js#A.#x"],
      [{ path: "c#.js", symbol: "A.#x" }]
    ]
  ])("%s", (_, mine, theirs, found) => {
    expect(common(writes(...mine), writes(...theirs))).toEqual(found)
    expect(common(writes(...theirs), writes(...mine))).toEqual(found)
  })

  it("is nothing that a side only reads", () => {
    expect(common(writes("a.js"), writesOf([{ kind: "path", value: "a.js", mode: "read" }]))).toEqual([])
  })

  it("is told once of each Change, of the first Task that writes it", () => {
    const [changeId, other] = ["chg_1", "chg_2"] as const
    const others = [
      { changeId, taskId: "tsk_1_a" as never, writes: writes("a.js") },
      { changeId, taskId: "tsk_1_b" as never, writes: writes("a.js") },
      { changeId: other, taskId: "tsk_2_a" as never, writes: writes("a.js") }
    ]
    expect(overlapsWith(writes("a.js"), others)).toEqual([
      { changeId, taskId: "tsk_1_a", path: "a.js", symbol: null },
      { changeId: other, taskId: "tsk_2_a", path: "a.js", symbol: null }
    ])
  })

  it("is claimed by path, symbol and route of what was touched", () => {
    const touched = [{ path: "a.js", symbols: ["add"], routes: ["GET /a"] }]
    expect(intentsOf(touched).map(({ kind, mode, value }) => `${mode} ${kind} ${value}`)).toEqual([
      "write path a.js",
      "write symbol a.js#add",
      "write route GET /a"
    ])
  })
})
