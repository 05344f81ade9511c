import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { why } from "@pawl/core/why/Why"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { type CandidateId, candidateFork, taskId } from "@pawl/core/primitives/Ids"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Time from "@pawl/core/primitives/Time"
import { Settings } from "@pawl/core/primitives/Settings"
import { Repositories } from "@pawl/core/project/Repositories"
import { blockCodes } from "@pawl/core/promotion/Canonical"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { advance, askedFor, candidateOf, newestOf, newProject, opened } from "../kit/Scenes.ts"

const codes = (blocks: ReadonlyArray<{ readonly code: string }>) => blocks.map(({ code }) => code)

/** A Candidate whose one block is this, and what is said of what to do. */
const scenes = {
  candidate_not_verified: {
    next: { code: "checks_failed", checkIds: ["test"] },
    make: (projectId: string) =>
      Effect.map(candidateOf(projectId, "r1", { "result.txt": "broken" }), (candidate) => candidate.id)
  },
  base_behind: {
    next: { code: expect.stringMatching(/^(replaced|awaiting_successor)$/) },
    make: (projectId: string) =>
      Effect.gen(function* () {
        const [one, two] = [
          yield* candidateOf(projectId, "r1", { "a.txt": "a" }),
          yield* candidateOf(projectId, "r2", { "b.txt": "b" })
        ]
        yield* Promotions.promote(person, one.id)
        yield* settle
        return two.id
      })
  },
  base_ahead: {
    next: { code: "awaiting_base" },
    make: (projectId: string) =>
      Effect.gen(function* () {
        const { id } = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        const candidate = yield* demand("candidate", id)
        const writes = [Commit.update("candidate", candidate, { baseGeneration: candidate.record.baseGeneration + 1 })]
        yield* (yield* Ledger).commit({ name: "test.ahead", projectId, writes })
        return id
      })
  },
  check_gap: {
    next: { code: "composing" },
    make: (projectId: string) => Effect.map(askedFor(projectId, "r1", { "a.txt": "a" }), (candidate) => candidate.id)
  },
  approval_missing: {
    next: { code: "decide", changeId: expect.stringMatching(/^chg_/), granted: 0, owed: 1 },
    make: (projectId: string) =>
      Effect.map(candidateOf(projectId, "r1", { "migrations/1.sql": "x" }), (candidate) => candidate.id)
  },
  approval_rejected: {
    next: { code: "rejected_by", approver: person.id },
    make: (projectId: string) =>
      Effect.gen(function* () {
        const { changeId, id } = yield* candidateOf(projectId, "r1", { "migrations/1.sql": "x" })
        yield* Approvals.decide(person, { changeId, candidateId: id, decision: "rejected" })
        return id
      })
  },
  policy_version_mismatch: {
    next: { code: "policy_changed" },
    make: (projectId: string) =>
      Effect.gen(function* () {
        const { id } = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        yield* Policies.change(person, projectId, { requiredChecks: ["test"] })
        return id
      })
  },
  composed_commit_missing: {
    next: { code: "commit_missing" },
    make: (projectId: string) =>
      Effect.gen(function* () {
        const { id } = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        yield* (yield* Repositories).remove({ project: projectId, fork: candidateFork(id) })
        return id
      })
  },
  frozen: {
    next: { code: "frozen", reason: "the fair" },
    make: (projectId: string) =>
      Effect.gen(function* () {
        const until = Time.fromMillis((yield* Time.nowMillis) + Time.dayMs)
        const freezes = [{ from: "1970-01-01T00:00:00.000Z", until, reason: "the fair" }]
        yield* Policies.change(person, projectId, { freezes })
        return (yield* candidateOf(projectId, "r1", { "a.txt": "a" })).id
      })
  }
} satisfies Record<(typeof blockCodes)[number], unknown>

describe("Why a Candidate is where it is", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it.each(blockCodes)("names the block %s, and what to do", (code) =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const scene = scenes[code]
        const id: CandidateId = yield* scene.make(project.id)
        const said = yield* why(id)
        expect(codes(said.blocks)).toContain(code)
        expect(said.canPromote).toBe(false)
        expect(said.next).toMatchObject(scene.next)
      })
    )
  )

  it("says that a Candidate can be promoted when a promotion would be granted, and not after it was", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { id } = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        expect(yield* why(id)).toMatchObject({
          canPromote: true,
          blocks: [],
          next: { code: "promote", candidateId: id, unfinished: null }
        })
        yield* Promotions.promote(person, id)
        expect((yield* why(id)).next).toEqual({ code: "promoted", generation: 1, release: "queued" })
        yield* settle
        expect(yield* why(id)).toMatchObject({
          canPromote: false,
          blocks: [],
          next: { code: "promoted", generation: 1, release: "deployed" }
        })
      })
    ))

  it("shows the end of what a check said, and none once it is gone", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { id } = yield* candidateOf(project.id, "r1", { "result.txt": "broken" })
        const [build, test] = (yield* why(id)).checks
        expect(build).toMatchObject({ checkId: "build", verdict: "pass", output: null })
        expect(test).toMatchObject({ checkId: "test", title: "test", verdict: "fail", required: true, output: "ran" })
        yield* (yield* ObjectStore).removePrefix(`evidence/${project.id}/`)
        expect((yield* why(id)).checks.map(({ output }) => output)).toEqual([null, null])
      })
    ))

  it("names the paths of a conflict", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const change = yield* opened(project.id, "r1")
        for (const content of ["one", "two"])
          yield* ChangeSets.record(person, {
            changeId: change.id,
            message: "edit",
            files: { "result.txt": content },
            baseGeneration: 0
          })
        const { candidate } = yield* Candidates.request(person, { changeId: change.id })
        yield* settle
        expect(yield* why(candidate.id)).toMatchObject({
          conflicts: ["result.txt"],
          checks: [],
          next: { code: "not_composable", reason: "merge conflict in result.txt", conflicts: ["result.txt"] }
        })
      })
    ))

  it("tells whose decision was made on it, and that a cancelled Change wants nothing more", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { changeId, id } = yield* candidateOf(project.id, "r1", { "migrations/1.sql": "x" })
        expect((yield* why(id)).approval).toMatchObject({ owed: true, decision: null })
        yield* Approvals.decide(person, { changeId, candidateId: id, decision: "granted" })
        expect((yield* why(id)).approval).toMatchObject({ owed: true, decision: "granted", approver: person.id })
        yield* Cancellation.cancel(person, changeId)
        const said = yield* why(id)
        expect(said).toMatchObject({
          change: { status: "cancelled" },
          next: { code: "change_cancelled" }
        })
        expect(codes(said.blocks)).toEqual(["candidate_not_verified"])
      })
    ))

  it("says to wait for the next day when all builds are used, and asking with retry then works", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const settings = yield* Settings
        const { changeId, id } = yield* candidateOf(project.id, "r1", { "a.txt": "a" }).pipe(
          Effect.provideService(Settings, { ...settings, buildsPerDay: 0 })
        )
        expect((yield* why(id)).next).toEqual({ code: "builds_used_up", changeId })
        const { candidate } = yield* Candidates.request(person, { changeId, retry: true })
        yield* settle
        expect((yield* why(candidate.id)).canPromote).toBe(true)
      })
    ))

  it("says of a blocked Candidate that it can be asked for again, and that works", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { changeId, lineage } = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        for (const _ of ["first", "second", "third"]) {
          yield* advance(project.id)
          yield* settle
        }
        const newest = yield* newestOf(lineage)
        expect(newest?.status).toBe("blocked")
        expect((yield* why(newest!.id)).next).toEqual({ code: "recomposed_in_vain", changeId })
        const { candidate } = yield* Candidates.request(person, { changeId })
        yield* settle
        expect((yield* why(candidate.id)).canPromote).toBe(true)
        yield* Cancellation.cancel(person, changeId)
        expect((yield* why(newest!.id)).next).toEqual({ code: "change_over", status: "cancelled" })
      })
    ))

  it("names Tasks that failed and dead letters, before all else", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { changeId, id } = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const ledger = yield* Ledger
        const done = (yield* demand("task", taskId(changeId, "edit-1"))).record
        const failing = { ...done, id: taskId(changeId, "more"), key: "more", status: "pending" as const }
        yield* ledger.commit({ name: "test", projectId: project.id, writes: [Commit.insert("task", failing)] })
        yield* ledger.commit({
          name: "test",
          projectId: project.id,
          writes: [
            Commit.update("task", { record: failing, revision: 1 }, { status: "blocked", reason: "it waits in vain" })
          ]
        })
        const blocked = yield* why(id)
        expect(blocked.tasks).toEqual([
          {
            id: failing.id,
            key: "more",
            title: failing.title,
            kind: "implement",
            status: "blocked",
            reason: "it waits in vain",
            blockedBy: null,
            heldBy: null
          }
        ])
        expect(blocked.next).toMatchObject({ code: "promote", unfinished: { key: "more", status: "blocked" } })
        const letter = `candidate.promote:${id}`
        yield* ledger.commit({
          name: "test",
          projectId: project.id,
          commands: [{ kind: "candidate.promote", id: letter, payload: { candidateId: id }, maxAttempts: 1 }]
        })
        const commands = yield* Commands
        const [leased] = yield* commands.claim({ worker: "t", kinds: ["candidate.promote"], limit: 1, leaseMs: 1000 })
        yield* commands.fail(leased!.lease, "it broke", 0)
        const said = yield* why(id)
        expect(said.deadLetters).toMatchObject([{ id: letter, kind: "candidate.promote", problem: "it broke" }])
        expect(said.next).toMatchObject({ code: "dead_letter", id: letter, kind: "candidate.promote" })
      })
    ))

  it("fails for a Candidate that is not there", () =>
    run(
      Effect.gen(function* () {
        expect(yield* Effect.flip(why("cand_000000000000000000000000"))).toMatchObject({ _tag: "Unknown" })
      })
    ))
})
