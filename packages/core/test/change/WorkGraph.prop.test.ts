import * as FastCheck from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { inOrder, problemsOf, read } from "@pawl/core/change/WorkGraph"
import { planned } from "../kit/WorkWorld.ts"

const changeId = "chg_00000000-0000-4000-8000-000000000001" as const
const key = FastCheck.constantFrom(..."abcdefghijkl")
const tasks = FastCheck.array(FastCheck.record({ key, dependsOn: FastCheck.array(key, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 12,
  size: "large"
}).map((all) => all.map((task) => planned(task.key, task.dependsOn)))

/** Another way to tell whether a walk along dependencies comes back to where it began. */
const goesRound = (all: ReadonlyArray<ReturnType<typeof planned>>) =>
  all.some((start) => {
    const reached = new Set<string>()
    const walk = (at: string): void => {
      for (const task of all.filter((each) => each.key === at))
        for (const next of task.dependsOn) {
          if (reached.has(next)) continue
          reached.add(next)
          walk(next)
        }
    }
    walk(start.key)
    return reached.has(start.key)
  })

describe("Work Graphs that a planner might propose", () => {
  it("are refused exactly when a key repeats, a dependency is missing, or they go round", () =>
    FastCheck.assert(
      FastCheck.property(tasks, (all) => {
        const keys = all.map((task) => task.key)
        const unique = new Set(keys).size === keys.length
        const known = all.every((task) => task.dependsOn.every((each) => keys.includes(each)))
        const sound = unique && known && !goesRound(all)
        expect(problemsOf(all).length === 0).toBe(sound)
        if (unique) expect(problemsOf(all).some((problem) => problem.code === "cycle")).toBe(goesRound(all))
      }),
      { numRuns: 3000 }
    ))

  it("are stored whole, with no Task before one that it depends on", () =>
    FastCheck.assert(
      FastCheck.property(tasks, (all) => {
        const graph = read(changeId, 0, all)
        if (Result.isFailure(graph)) return
        const order = graph.success.tasks.map((task) => task.key)
        expect(order.toSorted()).toEqual(all.map((task) => task.key).toSorted())
        for (const task of graph.success.tasks)
          for (const dependency of task.dependsOn)
            expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(task.key))
        // Ordering what is in order changes nothing.
        expect(inOrder(graph.success.tasks)).toEqual(graph.success.tasks)
      }),
      { numRuns: 3000 }
    ))
})
