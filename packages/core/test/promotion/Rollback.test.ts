import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { EventLog } from "@pawl/core/event/EventLog"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Repositories } from "@pawl/core/project/Repositories"
import * as Audits from "@pawl/core/audit/Audits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { sourceIndexKey } from "@pawl/core/project/SourceIndex"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { ask, candidate, generation, live, twoLive } from "../kit/RollbackScenes.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

describe("A rollback", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is a new generation of one commit on the newest one, with the older tree and its stored bundle", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        expect(asked.change).toMatchObject({
          kind: "rollback",
          rollbackTarget: 1,
          goal: "Roll back to S1",
          status: "verifying"
        })
        expect(asked.candidate.status).toBe("composing")
        yield* settle
        const [before, target] = [yield* generation(project.id, 2), yield* generation(project.id, 1)]
        const verified = yield* candidate(asked.candidate.id)
        expect(verified).toMatchObject({ status: "verified", baseCommit: before.commit, tree: target.tree })
        expect(verified.plan?.checks.map(({ id, kind, tree }) => [id, kind, tree])).toEqual([
          ["tree-equals", "tree-equals", target.tree]
        ])
        const promoted = yield* Promotions.promote(person, verified.id)
        yield* settle
        expect(promoted).toMatchObject({ outcome: "promoted", generation: 3, tree: target.tree, sourceSynced: true })
        expect(yield* generation(project.id, 3)).toMatchObject({ trigger: "rollback", commit: verified.commit })
        expect((yield* demand("release", promoted.releaseId!)).record).toMatchObject({
          status: "deployed",
          bundleSource: "same_tree"
        })
        expect((yield* demand("pointer", `${project.id}/production`)).record).toMatchObject({
          status: "live",
          generation: 3,
          commit: verified.commit
        })
        expect((yield* demand("change", asked.change.id)).record.status).toBe("completed")
        // Nothing is deleted.
        for (const number of [0, 1, 2, 3]) expect((yield* generation(project.id, number)).generation).toBe(number)
      })
    ))

  it("owns a ChangeSet of its own, by system:rollback", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const { candidate: made } = yield* ask(project.id, 0, 2)
        const own = (yield* demand("changeSet", made.changeSets[0]!)).record
        expect(own).toMatchObject({
          author: { type: "system", id: "system:rollback" },
          baseGeneration: 2,
          tree: (yield* generation(project.id, 0)).tree
        })
        expect(own.files.map((file) => `${file.status} ${file.path}`)).toEqual(["deleted a.txt", "deleted b.txt"])
        expect((yield* demand("task", own.taskId)).record.status).toBe("completed")
        yield* settle
        expect((yield* candidate(made.id)).commit).toBe(own.commit)
      })
    ))

  it("points the tree's file index at its commit, and later Candidates compose on it", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        const promoted = yield* Promotions.promote(person, asked.candidate.id)
        yield* settle
        const body = yield* (yield* ObjectStore).get(sourceIndexKey(project.id, promoted.tree))
        expect(JSON.parse(new TextDecoder().decode(body)).commit).toBe(promoted.commit)
        const later = yield* live(project.id, "later", { "c.txt": "later" })
        expect(later).toMatchObject({ baseGeneration: 3, baseCommit: promoted.commit })
        const files = yield* (yield* Repositories).files(
          { project: project.id },
          (yield* generation(project.id, 4)).tree
        )
        expect(new TextDecoder().decode(files.get("a.txt")?.content)).toBe("one")
        expect(files.has("b.txt")).toBe(false)
        expect(files.has("c.txt")).toBe(true)
      })
    ))

  it("owes the approval of the riskiest Change that it undoes", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* live(project.id, "one", { "a.txt": "one" })
        const risky = yield* candidateOf(project.id, "two", { "migrations/1.sql": "create" })
        yield* Approvals.decide(person, { changeId: risky.changeId, candidateId: risky.id, decision: "granted" })
        yield* Promotions.promote(person, risky.id)
        yield* settle
        yield* live(project.id, "three", { "a.txt": "three" })
        const light = yield* ask(project.id, 2, 3)
        yield* settle
        expect((yield* candidate(light.candidate.id)).plan).toMatchObject({
          riskTier: "low",
          approvalRequired: false
        })
        const grave = yield* ask(project.id, 1, 3)
        expect(grave.change.riskTier).toBe("high")
        yield* settle
        expect((yield* candidate(grave.candidate.id)).plan).toMatchObject({
          riskTier: "high",
          approvalRequired: true
        })
        expect(yield* Effect.flip(Promotions.promote(person, grave.candidate.id))).toMatchObject({
          _tag: "Blocked",
          blocks: [{ code: "approval_missing" }]
        })
        yield* Approvals.decide(person, {
          changeId: grave.change.id,
          candidateId: grave.candidate.id,
          decision: "granted"
        })
        expect((yield* Promotions.promote(person, grave.candidate.id)).generation).toBe(4)
      })
    ))

  it("is refused of a generation that is not there, is not older, or on another head", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        expect(yield* Effect.flip(ask(project.id, 7, 2))).toMatchObject({ _tag: "Unknown", kind: "generation" })
        expect(yield* Effect.flip(ask(project.id, -1, 2))).toMatchObject({ _tag: "Unknown", kind: "generation" })
        expect(yield* Effect.flip(ask(project.id, 2, 2))).toMatchObject({
          _tag: "InvalidField",
          field: "targetGeneration"
        })
        for (const expected of [1, 3])
          expect(yield* Effect.flip(ask(project.id, 0, expected))).toMatchObject({
            _tag: "RollbackStale",
            expectedGeneration: expected,
            canonicalGeneration: 2
          })
      })
    ))

  it("is stale on another head, whatever its target", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        for (const expected of [0, 1, 3, 9])
          for (const target of [-1, 0, 1, 2, 3, 9])
            expect(yield* Effect.flip(ask(project.id, target, expected))).toMatchObject({
              _tag: "RollbackStale",
              expectedGeneration: expected,
              canonicalGeneration: 2
            })
      })
    ))

  it("answers the same Change and Candidate when it is asked for again, even many times at once", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* Effect.forEach([1, 2, 3, 4], () => ask(project.id, 1, 2), { concurrency: "unbounded" })
        expect(new Set(asked.map(({ change }) => change.id)).size).toBe(1)
        expect(new Set(asked.map((each) => each.candidate.id)).size).toBe(1)
        yield* settle
        const events = yield* (yield* EventLog).read(project.id, 0, 100)
        const own = events.filter((event) => event.subject === asked[0]?.candidate.id)
        expect(own.map((event) => event.type)).toEqual(["candidate.composed", "candidate.verified"])
        expect((yield* ask(project.id, 1, 2)).candidate.status).toBe("verified")
      })
    ))

  it("can be asked for again after it was cancelled or rejected", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const first = yield* ask(project.id, 1, 2)
        yield* Cancellation.cancel(person, first.change.id)
        const second = yield* ask(project.id, 1, 2)
        expect(second.change.id).not.toBe(first.change.id)
        yield* settle
        expect((yield* candidate(second.candidate.id)).status).toBe("verified")
      })
    ))

  it("is never recomposed: when canonical moves on it is stale, and is asked for anew", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        yield* live(project.id, "three", { "c.txt": "three" })
        expect((yield* candidate(asked.candidate.id)).status).toBe("stale")
        expect(yield* Effect.flip(Promotions.promote(person, asked.candidate.id))).toMatchObject({ _tag: "Stale" })
        const anew = yield* ask(project.id, 1, 3)
        yield* settle
        expect((yield* Promotions.promote(person, anew.candidate.id)).generation).toBe(4)
      })
    ))

  it("is rejected when its commit's tree is not the target's, whatever was recorded of it", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        const repositories = yield* Repositories
        const other = (yield* generation(project.id, 2)).tree
        yield* settle.pipe(
          Effect.provideService(Repositories, {
            ...repositories,
            resolve: (ref, commit) =>
              Effect.map(repositories.resolve(ref, commit), (found) => ({ ...found, tree: other }))
          })
        )
        expect(yield* candidate(asked.candidate.id)).toMatchObject({ status: "rejected", reason: "tree-equals: fail" })
        const [row] = yield* evidenceOf(asked.candidate.id)
        expect(row).toMatchObject({ checkId: "tree-equals", status: "checked_unsupported", result: "fail" })
      })
    ))

  it("promotes itself when the Policy lets the riskiest Change that it undoes do so, and is called a rollback", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        yield* Policies.change(person, project.id, {
          autoPromoteRiskTiers: ["low", "medium"],
          approvalRiskTiers: ["high"]
        })
        yield* ask(project.id, 1, 2)
        yield* settle
        expect(yield* generation(project.id, 3)).toMatchObject({
          trigger: "rollback",
          actor: { id: "system:auto-promotion" }
        })
        expect((yield* Audits.examine(project.id)).findings).toEqual([])
      })
    ))

  it("is planned anew in place under a newer Policy", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        yield* Policies.change(person, project.id, { approvalRiskTiers: ["low", "medium", "high"] })
        expect(yield* Effect.flip(Promotions.promote(person, asked.candidate.id))).toMatchObject({ _tag: "Blocked" })
        yield* Candidates.request(person, { changeId: asked.change.id })
        yield* settle
        expect(yield* candidate(asked.candidate.id)).toMatchObject({
          status: "verified",
          plan: { approvalRequired: true, checks: [{ kind: "tree-equals" }] }
        })
      })
    ))
})
