/** What is for people is refused to an agent by the use cases themselves, whatever lets it in. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import { EventLog } from "@pawl/core/event/EventLog"
import type { Actor } from "@pawl/core/model/Actor"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { Records } from "@pawl/core/ledger/Records"
import { person } from "../kit/MemoryPawl.ts"
import { ends, inWorld, newProject, open, planned, settleAll } from "../kit/WorkWorld.ts"

describe("The actor of an agent", () => {
  it("approves nothing, promotes nothing and sets no Policy, where a person may", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        yield* Policies.change(person, project.id, { approvalRiskTiers: ["low", "medium", "high", "unknown"] })
        hands.plan = () => Effect.succeed([planned("a")])
        hands.agents.set("a", [ends("Retry")])
        const changeId = yield* open(project.id)
        yield* settleAll
        const records = yield* Records
        const [candidate] = (yield* records.list("candidate", { where: { changeId } })).items
        const candidateId = candidate?.record.id ?? ""
        expect(candidate?.record.status).toBe("verified")
        const agent: Actor = { type: "agent", id: `agt_tsk_${changeId}_a` }
        const events = yield* Effect.flatMap(EventLog, (log) => log.read(project.id, 0, 500))
        const tries = [
          yield* Effect.flip(Approvals.decide(agent, { changeId, candidateId, decision: "granted" })),
          yield* Effect.flip(Promotions.promote(agent, candidateId)),
          yield* Effect.flip(Policies.change(agent, project.id, { approvalRiskTiers: [] }))
        ]
        for (const refusal of tries)
          expect(refusal).toMatchObject({ _tag: "InsufficientScope", held: ["read", "write"] })
        expect(yield* Effect.flatMap(EventLog, (log) => log.read(project.id, 0, 500))).toEqual(events)
        yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
        expect(yield* Promotions.promote(person, candidateId)).toMatchObject({ generation: 1 })
      })
    ))
})
