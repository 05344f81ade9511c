import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { nothingUsed } from "@pawl/core/task/Agent"
import * as Interventions from "@pawl/core/task/Interventions"
import { person, settle } from "../kit/MemoryPawl.ts"
import { changeOf } from "../kit/PaidWork.ts"
import { compiled, ends, inWorld, planned, type Script, taskOf, worked } from "../kit/WorkWorld.ts"

const says: Script = () => Effect.succeed({ _tag: "Answered", text: "It sells tea.", usage: nothingUsed })

describe("A Change that stands still", () => {
  it("says which of its Tasks failed, why, and what a person can do, once nothing of it goes on", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [ends("Failed", "the model gave up")])
        const changeId = yield* worked(hands, [planned("a"), planned("b"), planned("c", ["a"])])
        const change = yield* changeOf(changeId)
        expect(change.status).toBe("running")
        expect(change.reason).toMatch(/^the Task a failed: the model gave up\. Send its edit yourself .* or cancel/)
        expect(yield* taskOf(changeId, "b")).toMatchObject({ status: "completed" })
      })
    ))

  it("says nothing of a Task that stopped while another goes on, and names it when none does", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a"), planned("b")])
        const { id } = yield* taskOf(changeId, "a")
        yield* Interventions.stop(person, id)
        expect((yield* changeOf(changeId)).reason).toBeNull()
        yield* settle
        expect((yield* changeOf(changeId)).reason).toMatch(
          /^the Task a is blocked: stopped by .*\. Retry it, take it over/
        )
        yield* Interventions.handOver(person, id)
        expect((yield* changeOf(changeId)).reason).toMatch(/held by .*\. Their ChangeSet completes it\.$/)
        yield* Interventions.retry(person, id)
        expect((yield* changeOf(changeId)).reason).toBeNull()
        yield* settle
        expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason: null })
      })
    ))

  it("says that there is nothing to verify when all its Tasks only answered", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("look", [says])
        const changeId = yield* worked(hands, [planned("look", [], { kind: "research" })])
        const change = yield* changeOf(changeId)
        expect(change.status).toBe("verifying")
        expect(change.reason).toMatch(/none changed a file: there is nothing to verify/)
      })
    ))
})
