import { describe, expect, it } from "vitest"
import { PointerLifecycle } from "@pawl/core/model/PointerLifecycle"
import { CandidateLifecycle } from "@pawl/core/model/CandidateLifecycle"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import * as Lifecycle from "@pawl/core/model/Lifecycle"
import { ReleaseLifecycle } from "@pawl/core/model/ReleaseLifecycle"
import { TaskLifecycle } from "@pawl/core/model/TaskLifecycle"

const lifecycles: ReadonlyArray<Lifecycle.Lifecycle<string, string>> = [
  ChangeLifecycle,
  TaskLifecycle,
  CandidateLifecycle,
  ReleaseLifecycle,
  PointerLifecycle
]

/** States that the enumeration has but no row enters: `composed` exists in call results only. */
const neverStored = new Set(["candidate composed"])
/** Rows that leave a final state, as the specification has them. */
const exceptions = new Set(["candidate stale recompositionsExhausted", "release deployed failureInjected"])

describe.each(lifecycles.map((lifecycle) => [lifecycle.name, lifecycle] as const))(
  "The life of a %s",
  (name, lifecycle) => {
    it("names only states it has", () => {
      for (const row of lifecycle.rows) expect(lifecycle.states).toEqual(expect.arrayContaining([row.from, row.to]))
      for (const state of [...lifecycle.initial, ...lifecycle.final]) expect(lifecycle.states).toContain(state)
    })

    it("refuses every trigger that has no row in a state", () => {
      const triggers = [...new Set(lifecycle.rows.map((row) => row.trigger))]
      for (const state of lifecycle.states)
        for (const trigger of triggers) {
          const rows = lifecycle.rows.filter((row) => row.from === state && row.trigger === trigger)
          const next = Lifecycle.next(lifecycle, state, trigger)
          expect(next._tag).toBe(rows.length === 0 ? "Failure" : "Success")
          for (const target of lifecycle.states)
            expect(Lifecycle.next(lifecycle, state, trigger, target)._tag).toBe(
              rows.some((row) => row.to === target) ? "Success" : "Failure"
            )
        }
    })

    it("absorbs in its final states", () => {
      for (const row of lifecycle.rows)
        if (lifecycle.final.includes(row.from)) expect(exceptions).toContain(`${name} ${row.from} ${row.trigger}`)
    })

    it("reaches every state", () => {
      const reached = new Set<string>(lifecycle.initial)
      for (let grown = true; grown;) {
        grown = false
        for (const row of lifecycle.rows)
          if (reached.has(row.from) && !reached.has(row.to)) {
            reached.add(row.to)
            grown = true
          }
      }
      for (const state of lifecycle.states) if (!neverStored.has(`${name} ${state}`)) expect(reached).toContain(state)
    })
  }
)
