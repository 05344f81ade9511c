/** What people say beside a decision and a rollback, and those who look at it later. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Audits from "@pawl/core/audit/Audits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { person, run, settle } from "../kit/MemoryPawl.ts"
import { change } from "../kit/RollbackScenes.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

it("is part of what an audit finds as it was stored, and leaves no finding", () =>
  run(
    Effect.gen(function* () {
      const { id: projectId } = yield* newProject()
      yield* Policies.change(person, projectId, { approvalRiskTiers: ["medium"] })
      const candidate = yield* candidateOf(projectId, "r1", { "lib/a.js": "a" })
      const asked = { changeId: candidate.changeId, candidateId: candidate.id, decision: "granted" } as const
      const approval = yield* Approvals.decide(person, { ...asked, note: "read line by line" })
      expect(approval.note).toBe("read line by line")
      yield* Promotions.promote(person, candidate.id)
      yield* settle
      const back = yield* Rollbacks.request(person, {
        projectId,
        targetGeneration: 0,
        expectedGeneration: 1,
        reason: "the prices were wrong"
      })
      yield* settle
      const again = { changeId: back.change.id, candidateId: back.candidate.id, decision: "granted" } as const
      yield* Approvals.decide(person, again)
      yield* Promotions.promote(person, back.candidate.id)
      yield* settle
      expect((yield* change(back.change.id)).rollbackReason).toBe("the prices were wrong")
      expect((yield* Audits.run(projectId)).findings).toEqual([])
    })
  ))
