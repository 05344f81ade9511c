import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { requestApp } from "@pawl/core/app/Apps"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { demand } from "@pawl/core/ledger/Decision"
import { EventLog } from "@pawl/core/event/EventLog"
import { answers, organizationId, page, person, run, settle } from "../kit/MemoryPawl.ts"

const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node --test" }], probes: [{ path: "/" }] }),
  "src/index.js": "export default { fetch: () => new Response('one') }",
  "result.txt": "fine"
}

const newProject = Effect.flatMap(Projects.create(person, { organizationId, slug: "corner", files }), (project) =>
  Effect.as(settle, project)
)

const candidateOf = (projectId: string, request: string, edits: Record<string, string>) =>
  Effect.gen(function* () {
    const { change } = yield* Changes.open(person, {
      projectId,
      clientRequestId: request,
      goal: "a goal",
      budgetUsd: 1
    })
    yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: edits })
    const { candidate } = yield* Candidates.request(person, { changeId: change.id })
    yield* settle
    return (yield* demand("candidate", candidate.id)).record
  })

describe("The path from an edit to a live app", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("takes a person's edit through Evidence and promotion to a deployed release", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const candidate = yield* candidateOf(project.id, "r1", {
          "src/index.js": "export default { fetch: () => new Response('two') }"
        })
        expect(candidate.status).toBe("verified")
        expect(candidate.score?.checks.map((check) => [check.checkId, check.verdict])).toEqual([
          ["build", "pass"],
          ["test", "pass"]
        ])
        const promoted = yield* Promotions.promote(person, candidate.id)
        expect(promoted).toMatchObject({ outcome: "promoted", generation: 1, tree: candidate.tree, sourceSynced: true })
        yield* settle
        const release = (yield* demand("release", promoted.releaseId!)).record
        expect(release).toMatchObject({ status: "deployed", bundleSource: "preview_copy", replacedGeneration: 0 })
        expect((yield* demand("pointer", `${project.id}/production`)).record).toMatchObject({
          status: "live",
          generation: 1,
          commit: candidate.commit
        })
        expect((yield* demand("change", candidate.changeId)).record.status).toBe("completed")
        const events = yield* (yield* EventLog).read(project.id, 0, 100)
        expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1))
        expect(events.map((event) => event.type)).toEqual([
          "changeset.proposed",
          "task.completed",
          "verification.started",
          "candidate.composed",
          "candidate.verified",
          "canonical.promotion.requested",
          "canonical.advanced",
          "build.started",
          "build.completed",
          "deployment.completed",
          "change.completed"
        ])
        expect((yield* Promotions.promote(person, candidate.id)).outcome).toBe("alreadyPromoted")
      })
    ))

  it("rejects a Candidate whose test fails and leaves the live app alone", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const candidate = yield* candidateOf(project.id, "r1", { "result.txt": "broken" })
        expect(candidate).toMatchObject({ status: "rejected", reason: "test: fail" })
        const refused = yield* Effect.flip(Promotions.promote(person, candidate.id))
        expect(refused).toMatchObject({ _tag: "Blocked" })
        expect((refused as Promotions.Blocked).blocks.map((block) => block.code)).toEqual([
          "candidate_not_verified",
          "check_gap"
        ])
        expect((yield* demand("pointer", `${project.id}/production`)).record).toMatchObject({
          status: "live",
          generation: 0
        })
      })
    ))

  it("lets one of two Candidates on one base win, and tells the other that it is stale", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
        yield* Promotions.promote(person, one.id)
        expect(yield* Effect.flip(Promotions.promote(person, two.id))).toMatchObject({
          _tag: "Stale",
          canonicalGeneration: 1
        })
        expect((yield* demand("candidate", two.id)).record.status).toBe("stale")
        expect((yield* demand("head", project.id)).record.generation).toBe(1)
      })
    ))

  it("restores the version before when the smoke test of a release fails", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        answers.set("/", page(500))
        const promoted = yield* Promotions.promote(person, candidate.id)
        yield* settle
        expect((yield* demand("release", promoted.releaseId!)).record.status).toBe("smoke_failed")
        expect((yield* demand("pointer", `${project.id}/production`)).record).toMatchObject({
          status: "live",
          generation: 0
        })
        expect((yield* demand("change", candidate.changeId)).record.status).toBe("failed")
        expect((yield* demand("head", project.id)).record.generation).toBe(1)
      })
    ))

  it("names every path of a merge conflict", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const { change } = yield* Changes.open(person, {
          projectId: project.id,
          clientRequestId: "r",
          goal: "g",
          budgetUsd: 1
        })
        yield* ChangeSets.record(person, {
          changeId: change.id,
          message: "one",
          files: { "result.txt": "one" },
          baseGeneration: 0
        })
        yield* ChangeSets.record(person, {
          changeId: change.id,
          message: "two",
          files: { "result.txt": "two" },
          baseGeneration: 0
        })
        const { candidate } = yield* Candidates.request(person, { changeId: change.id })
        yield* settle
        expect((yield* demand("candidate", candidate.id)).record).toMatchObject({
          status: "rejected",
          conflicts: ["result.txt"]
        })
      })
    ))

  it("gives one Candidate and one verification to concurrent requests for one composition", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const { change } = yield* Changes.open(person, {
          projectId: project.id,
          clientRequestId: "r",
          goal: "g",
          budgetUsd: 1
        })
        yield* ChangeSets.record(person, { changeId: change.id, message: "one", files: { "a.txt": "one" } })
        const asked = yield* Effect.all(
          Array.from({ length: 5 }, () => Candidates.request(person, { changeId: change.id })),
          { concurrency: 5 }
        )
        expect(new Set(asked.map(({ candidate }) => candidate.id)).size).toBe(1)
        yield* settle
        expect((yield* demand("candidate", asked[0]!.candidate.id)).record.status).toBe("verified")
      })
    ))

  it("plans a verified Candidate anew under a newer Policy, and runs no check again", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        yield* Policies.change(person, project.id, { approvalRiskTiers: ["low", "medium", "high"] })
        const refused = yield* Effect.flip(Promotions.promote(person, candidate.id))
        expect((refused as Promotions.Blocked).blocks.map((block) => block.code)).toContain("policy_version_mismatch")
        const again = yield* Candidates.request(person, { changeId: candidate.changeId })
        expect(again.candidate).toMatchObject({ id: candidate.id, status: "verifying" })
        yield* settle
        const planned = (yield* demand("candidate", candidate.id)).record
        expect(planned).toMatchObject({ status: "verified", plan: { policyVersion: 2, approvalRequired: true } })
        expect((yield* evidenceOf(candidate.id)).length).toBe(2)
        expect((yield* demand("change", candidate.changeId)).record.status).toBe("awaiting_approval")
        const decision = { changeId: candidate.changeId, candidateId: candidate.id, decision: "granted" as const }
        yield* Approvals.decide(person, decision)
        expect((yield* Promotions.promote(person, candidate.id)).outcome).toBe("promoted")
      })
    ))

  it("keeps a person's rejection final, whatever is asked again", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        yield* Policies.change(person, project.id, { approvalRiskTiers: ["low", "medium", "high"] })
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        expect(candidate.status).toBe("verified")
        const decision = { changeId: candidate.changeId, candidateId: candidate.id, decision: "rejected" as const }
        yield* Approvals.decide(person, decision)
        const again = yield* Candidates.request(person, { changeId: candidate.changeId, retry: true })
        expect(again).toMatchObject({ created: false, candidate: { id: candidate.id, status: "rejected" } })
        const refused = yield* Effect.flip(Promotions.promote(person, candidate.id))
        expect((refused as Promotions.Blocked).blocks.map((block) => block.code)).toContain("approval_rejected")
      })
    ))

  it("takes a check that the Policy requires and nothing defines as a gap", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        yield* Policies.change(person, project.id, { requiredChecks: ["audit"] })
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        expect(candidate).toMatchObject({ status: "rejected", reason: "audit: gap" })
      })
    ))

  it("takes a redeploy back when the head does not answer as it should", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        answers.set("/", page(500))
        yield* Promotions.promote(person, candidate.id)
        yield* settle
        yield* requestApp(project.id)
        yield* settle
        const pointer = (yield* demand("pointer", `${project.id}/production`)).record
        expect(pointer).toMatchObject({ status: "live", generation: 0 })
      })
    ))
})
