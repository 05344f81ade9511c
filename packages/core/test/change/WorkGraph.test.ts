import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compositionOrder, inOrder, problemsOf, read } from "@pawl/core/change/WorkGraph"
import type { Task } from "@pawl/core/model/Task"
import { planned } from "../kit/WorkWorld.ts"

const changeId = "chg_00000000-0000-4000-8000-000000000001" as const
const codes = (...tasks: ReadonlyArray<ReturnType<typeof planned>>) => problemsOf(tasks).map((problem) => problem.code)

describe("A Work Graph", () => {
  it("has 1 to 12 Tasks", () => {
    const tasks = (count: number) => Array.from({ length: count }, (_, index) => planned(`t${index}`))
    expect(codes()).toEqual(["task_count"])
    expect(codes(...tasks(1))).toEqual([])
    expect(codes(...tasks(12))).toEqual([])
    expect(codes(...tasks(13))).toEqual(["task_count"])
  })

  it("has keys of their form, each once, and none of those that people's edits have", () => {
    expect(codes(planned("a"), planned("a"))).toEqual(["duplicate_key"])
    expect(codes(planned(""), planned("A b"), planned("x".repeat(41)))).toEqual([
      "invalid_key",
      "invalid_key",
      "invalid_key"
    ])
    expect(codes(planned("edit-1"), planned("edit-the-page"))).toEqual(["reserved_key"])
  })

  it("depends only on Tasks that it has", () => {
    expect(problemsOf([planned("a", ["b", "c"])]).map((problem) => problem.detail)).toEqual([
      'a depends on "b", which is no Task',
      'a depends on "c", which is no Task'
    ])
  })

  it("has no cycle, and names the Tasks on it, not those that wait for it", () => {
    expect(problemsOf([planned("a", ["a"])])).toEqual([{ code: "cycle", detail: "these wait for each other: a" }])
    const tasks = [
      planned("s"),
      planned("a", ["c", "s"]),
      planned("b", ["a"]),
      planned("c", ["b"]),
      planned("d", ["c"])
    ]
    expect(problemsOf(tasks)).toEqual([{ code: "cycle", detail: "these wait for each other: a, b, c" }])
  })

  it("is bounded in what it says of a Task", () => {
    expect(
      problemsOf([
        planned("a", [], {
          title: "x".repeat(201),
          instructions: "x".repeat(20_001),
          writes: Array.from({ length: 101 }, () => "p")
        })
      ]).map((problem) => problem.detail)
    ).toEqual(["a: title is over 200", "a: instructions is over 20000", "a: writes is over 100"])
  })

  it("tells everything that is wrong at once", () => {
    expect(codes(planned("a", ["x"]), planned("a"), planned("b", ["b"]))).toEqual([
      "duplicate_key",
      "unknown_dependency",
      "cycle"
    ])
  })

  it("is read from anything, and says where its shape is wrong", () => {
    const problems = read(changeId, 0, [{ ...planned("a"), kind: "invent" }, { key: 1 }])
    expect(Result.getFailure(problems).pipe((each) => each._tag)).toBe("Some")
    expect(Result.isFailure(problems) ? problems.failure.map((each) => each.detail.split(":")[0]) : []).toEqual(
      expect.arrayContaining(["0.kind", "1.key", "1.title"])
    )
    expect(Result.isFailure(read(changeId, 0, "nonsense"))).toBe(true)
  })

  it("stores its Tasks in its order, each dependency once", () => {
    const graph = read(changeId, 3, [planned("b", ["a", "a"]), planned("a")])
    expect(Result.getOrThrow(graph)).toEqual({
      version: 1,
      changeId,
      baseGeneration: 3,
      tasks: [planned("a"), planned("b", ["a"])]
    })
  })
})

describe("Work Graph order", () => {
  it("keeps the order in which Tasks were named, as far as dependencies let it", () => {
    const order = inOrder([planned("d", ["b"]), planned("c"), planned("b", ["a"]), planned("a")])
    expect(order.map((task) => task.key)).toEqual(["c", "a", "b", "d"])
  })

  it("composes the graph's ChangeSets first, then people's by creation", () => {
    const task = (id: string, tier: Task["tier"]) => ({ id, tier }) as unknown as Task
    const tasks = [task("edit-1", null), task("a", "fast"), task("b", "fast"), task("edit-2", null)]
    const changeSets = ["edit-1", "b", "edit-2", "a"].map((taskId) => ({ taskId }))
    expect(compositionOrder(changeSets, tasks).map((each) => each.taskId)).toEqual(["a", "b", "edit-1", "edit-2"])
  })
})
