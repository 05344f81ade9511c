import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import type { RiskTier } from "@pawl/core/model/Change"
import { defaultPolicy } from "@pawl/core/model/Policy"
import * as Policies from "@pawl/core/approval/Policies"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import { autoPromoter, promotesItself } from "@pawl/core/candidate/AutoPromotion"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf, every, newProject, newestOf } from "../kit/Scenes.ts"

const statuses = (changeId: string) => Effect.map(demand("change", changeId), ({ record }) => record.status)

describe("Auto-promotion", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("takes a verified Candidate of a listed tier live by itself, and says so in the history", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* Policies.change(person, project.id, { autoPromoteRiskTiers: ["low"] })
        const candidate = yield* candidateOf(project.id, "r1", { "notes.md": "a" })
        expect(candidate.status).toBe("promoted")
        expect((yield* demand("generation", generationKey(project.id, 1))).record).toMatchObject({
          actor: autoPromoter,
          trigger: "auto",
          approvalId: null
        })
        const events = yield* (yield* EventLog).read(project.id, 0, 100)
        expect(events.find((event) => event.type === "canonical.promotion.requested")).toMatchObject({
          actor: { type: "system", id: "system:auto-promotion" },
          data: { trigger: "auto", expectedGeneration: 0 }
        })
        expect(yield* statuses(candidate.changeId)).toBe("completed")
      })
    ))

  it("leaves a tier that is not listed to people", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* Policies.change(person, project.id, { autoPromoteRiskTiers: ["low"] })
        const candidate = yield* candidateOf(project.id, "r1", { "src/index.js": "two" })
        expect(candidate.status).toBe("verified")
        expect((yield* demand("head", project.id)).record.generation).toBe(0)
      })
    ))

  it("never promotes a Candidate that owes an approval, even of a listed tier", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* Policies.change(person, project.id, { autoPromoteRiskTiers: every, approvalRiskTiers: every })
        const candidate = yield* candidateOf(project.id, "r1", { "notes.md": "a" })
        expect(candidate.status).toBe("verified")
        expect(yield* statuses(candidate.changeId)).toBe("awaiting_approval")
      })
    ))

  it("never promotes one whose checks failed", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* Policies.change(person, project.id, { autoPromoteRiskTiers: every, approvalRiskTiers: [] })
        const candidate = yield* candidateOf(project.id, "r1", { "result.txt": "broken" })
        expect(candidate.status).toBe("rejected")
        expect((yield* demand("head", project.id)).record.generation).toBe(0)
      })
    ))

  it("ends a race of two Changes with both live, the later one recomposed", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* Policies.change(person, project.id, { autoPromoteRiskTiers: every, approvalRiskTiers: [] })
        const one = yield* askedFor(project.id, "r1", { "a.md": "a" })
        const two = yield* askedFor(project.id, "r2", { "b.md": "b" })
        yield* settle
        expect((yield* demand("head", project.id)).record).toMatchObject({ generation: 2, syncedGeneration: 2 })
        const ends = [yield* newestOf(one.id), yield* newestOf(two.id)]
        expect(ends.map((each) => each?.status)).toEqual(["promoted", "promoted"])
        expect(new Set(ends.map((each) => each?.recomposition))).toEqual(new Set([0, 1]))
        for (const { changeId } of [one, two]) expect(yield* statuses(changeId)).toBe("completed")
      })
    ))

  it("never follows from an unknown tier, another Policy's plan, or an owed approval, whatever a Policy lists", () => {
    const tier = FastCheck.constantFrom<Array<RiskTier>>("low", "medium", "high", "unknown")
    const tiers = FastCheck.uniqueArray(tier, { minLength: 0, maxLength: 4 })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.record({ plan: tier, change: tier, auto: tiers, approval: tiers, version: FastCheck.nat(1) }),
        FastCheck.boolean(),
        ({ plan, change, auto, approval, version }, approvalRequired) => {
          const policy = {
            ...defaultPolicy,
            projectId: "proj_00000000-0000-4000-8000-000000000000" as const,
            version: 1,
            updatedAt: "",
            updatedBy: "",
            autoPromoteRiskTiers: auto,
            approvalRiskTiers: approval
          }
          const planned = { policyVersion: version, riskTier: plan, approvalRequired, checks: [] }
          const goes = promotesItself({ plan: planned }, { riskTier: change }, policy)
          const may =
            version === 1 &&
            !approvalRequired &&
            plan !== "unknown" &&
            change !== "unknown" &&
            auto.includes(plan) &&
            auto.includes(change) &&
            !approval.includes(plan) &&
            !approval.includes(change)
          expect(goes).toBe(may)
        }
      ),
      { numRuns: 2000 }
    )
  })
})
