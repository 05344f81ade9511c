import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { inOrder, type PlannedTask, problemsOf } from "@pawl/core/change/WorkGraph"
import { overlaps, withWriteOrder } from "@pawl/core/change/WriteOrder"
import { isWritable } from "@pawl/core/model/Task"
import { rounds, seed } from "@pawl/testing/Depth"
import { planned } from "../kit/WorkWorld.ts"

/** All that a Task comes after, near and far. */
const before = (tasks: ReadonlyArray<PlannedTask>, key: string): ReadonlySet<string> => {
  const found = new Set(tasks.find((task) => task.key === key)?.dependsOn)
  for (const each of found) for (const next of tasks.find((task) => task.key === each)?.dependsOn ?? []) found.add(next)
  return found
}

const path = FastCheck.constantFrom("a.ts", "src", "src/a.ts", "src/b.ts", "lib/**", "lib/c.ts")
const graph = FastCheck.integer({ min: 1, max: 12 }).chain((count) =>
  FastCheck.tuple(
    ...Array.from({ length: count }, (_, at) =>
      FastCheck.record({
        kind: FastCheck.constantFrom<PlannedTask["kind"]>("implement", "migrate", "test", "research"),
        dependsOn: FastCheck.subarray(Array.from({ length: at }, (__, earlier) => `t${earlier}`)),
        reads: FastCheck.array(path, { maxLength: 2 }),
        writes: FastCheck.array(path, { maxLength: 2 })
      }).map(({ dependsOn, ...more }) => planned(`t${at}`, dependsOn, more))
    )
  )
)

describe("The order of Tasks that meet in the same files, of any graph", () => {
  it("keeps every graph workable: nothing is lost, whoever writes the same path has an order, and twice is once", () =>
    FastCheck.assert(
      FastCheck.property(graph, (tasks) => {
        const ordered = withWriteOrder(tasks)
        expect(problemsOf(ordered)).toEqual([])
        expect(inOrder(ordered)).toEqual(ordered)
        expect(ordered.map(({ key }) => key).toSorted()).toEqual(tasks.map(({ key }) => key).toSorted())
        for (const task of tasks) {
          const now = ordered.find(({ key }) => key === task.key)!
          expect(now).toEqual({ ...task, dependsOn: now.dependsOn })
          expect(now.dependsOn).toEqual(expect.arrayContaining([...task.dependsOn]))
          for (const other of tasks) {
            if (other === task || !isWritable(task.kind) || !isWritable(other.kind)) continue
            if (!overlaps(task.writes, other.writes)) continue
            expect(before(ordered, task.key).has(other.key) !== before(ordered, other.key).has(task.key)).toBe(true)
          }
        }
        expect(withWriteOrder(ordered)).toEqual(ordered)
      }),
      { numRuns: rounds({ quick: 200, deep: 2000 }), seed }
    ))
})
