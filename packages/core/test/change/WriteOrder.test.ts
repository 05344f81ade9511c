import { describe, expect, it } from "vitest"
import { type PlannedTask } from "@pawl/core/change/WorkGraph"
import { overlaps, withWriteOrder } from "@pawl/core/change/WriteOrder"
import { planned } from "../kit/WorkWorld.ts"

const writes = (key: string, paths: ReadonlyArray<string>, more: Partial<PlannedTask> = {}) =>
  planned(key, [], { writes: paths, ...more })

const waitsOf = (tasks: ReadonlyArray<PlannedTask>) =>
  Object.fromEntries(withWriteOrder(tasks).map(({ dependsOn, key }) => [key, dependsOn]))

describe("The order of Tasks that meet in the same files", () => {
  it("leaves Tasks apart that write different files", () =>
    expect(waitsOf([writes("a", ["src/a.ts"]), writes("b", ["src/b.ts"]), writes("c", [])])).toEqual({
      a: [],
      b: [],
      c: []
    }))

  it("makes a chain of those that write one file, in the order in which they were named", () =>
    expect(waitsOf([writes("a", ["x.ts"]), writes("b", ["x.ts"]), writes("c", ["x.ts"])])).toEqual({
      a: [],
      b: ["a"],
      c: ["b"]
    }))

  it.each([
    ["src", "src/a.ts"],
    ["src/", "src/deep/a.ts"],
    ["src/**", "src/a.ts"],
    ["src/*.ts", "src/a.ts"],
    ["./src/a.ts", "src/a.ts"],
    ["**", "anything"]
  ])("knows that %s and %s meet", (one, other) => expect(overlaps([one], [other])).toBe(true))

  it("knows that a folder is not what begins with its name", () =>
    expect(overlaps(["src/page"], ["src/pages/a.ts"])).toBe(false))

  it("puts a migration before what reads or writes its files, wherever it was named", () =>
    expect(
      waitsOf([
        writes("page", ["page.ts"], { reads: ["schema.ts"] }),
        writes("form", ["schema.ts"]),
        writes("schema", ["schema.ts"], { kind: "migrate" }),
        writes("style", ["style.css"])
      ])
    ).toEqual({ schema: [], page: ["schema"], form: ["schema"], style: [] }))

  it("lets a migration wait for what it was planned to wait for", () =>
    expect(
      waitsOf([
        planned("look", [], { kind: "research", reads: ["schema.ts"] }),
        planned("schema", ["look"], { kind: "migrate", writes: ["schema.ts"] })
      ])
    ).toEqual({ look: [], schema: ["look"] }))

  it("takes nothing for a write that a read-only kind was planned with", () =>
    expect(waitsOf([writes("a", ["x"], { kind: "review" }), writes("b", ["x"])])).toEqual({ a: [], b: [] }))
})
