import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as Budget from "@pawl/core/change/Budget"
import { claim } from "@pawl/core/claim/Claims"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { ClaimLifecycle } from "@pawl/core/model/ClaimLifecycle"
import { tick } from "@pawl/core/upkeep/Schedules"
import { person, settle } from "../kit/MemoryPawl.ts"
import { eachRow, ends, type Hands, newProject, open, planned, settleAll, turn } from "../kit/WorkWorld.ts"

const claimsOf = (changeId: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* Records).list("claim", { where: { changeId }, limit: "all" })
    return found.items.map(({ record }) => `${record.mode} ${record.value} ${record.status}`)
  })

const graph = [planned("a", [], { reads: ["README.md"], writes: ["src/a.js"] })]

/** A Change whose one Task was admitted, and whose agent never began. */
const admitted = (hands: Hands) =>
  Effect.gen(function* () {
    const project = yield* newProject
    hands.plan = () => Effect.succeed(graph)
    const changeId = yield* open(project.id)
    yield* turn("change.dispatch")
    hands.broken.add("Tasks.started")
    yield* turn("agent.wake")
    return changeId
  })

eachRow(ClaimLifecycle, "claim", {
  "held × workEnded → released: a Task holds what is planned from its admission on, until its work ends": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* admitted(hands)
      expect(yield* claimsOf(changeId)).toEqual(["write src/a.js held", "read README.md held"])
      hands.broken.clear()
      yield* settleAll
      expect(yield* claimsOf(changeId)).toEqual(["write src/a.js released", "read README.md released"])
    }),

  "held × leaseEnded → expired: what nobody renews for five minutes expires with the next minute, and is told": (
    hands
  ) =>
    Effect.gen(function* () {
      const changeId = yield* admitted(hands)
      yield* TestClock.adjust("299 seconds")
      yield* tick
      expect(yield* claimsOf(changeId)).toEqual(["write src/a.js held", "read README.md held"])
      yield* TestClock.adjust("61 seconds")
      yield* tick
      expect(yield* claimsOf(changeId)).toEqual(["write src/a.js expired", "read README.md expired"])
      const { projectId } = (yield* demand("change", changeId)).record
      const told = (yield* (yield* EventLog).read(projectId, 0, 500)).filter(({ type }) => type === "claim.expired")
      expect(told.map(({ data }) => data)).toEqual([
        { changeId, taskId: `tsk_${changeId}_a`, kind: "path", value: "src/a.js", mode: "write" },
        { changeId, taskId: `tsk_${changeId}_a`, kind: "path", value: "README.md", mode: "read" }
      ])
    }),

  "expired × heldAgain → held: an agent that goes on after a long silence holds again what it held": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* admitted(hands)
      yield* TestClock.adjust("6 minutes")
      yield* tick
      hands.broken.clear()
      const seen: Array<ReadonlyArray<string>> = []
      hands.agents.set("a", [
        ({ task }) =>
          Effect.gen(function* () {
            yield* Effect.orDie(claim(task.id, [{ kind: "symbol", value: "src/a.js#add", mode: "write" }]))
            seen.push(yield* Effect.orDie(claimsOf(changeId)))
            return yield* ends("Failed")({ task } as never)
          })
      ])
      yield* settleAll
      expect(seen).toEqual([["write src/a.js held", "read README.md held", "write src/a.js#add held"]])
    }),

  "released × heldAgain → held: a Task that is worked again holds what it held": (hands) =>
    Effect.gen(function* () {
      const project = yield* newProject
      hands.plan = () => Effect.succeed(graph)
      hands.agents.set("a", [ends("Stopped")])
      const changeId = yield* open(project.id)
      yield* settle
      expect(yield* claimsOf(changeId)).toEqual(["write src/a.js released", "read README.md released"])
      hands.broken.add("Tasks.started")
      yield* Budget.raise(person, changeId, 2)
      yield* turn("agent.wake")
      expect(yield* claimsOf(changeId)).toEqual(["write src/a.js held", "read README.md held"])
    })
})
