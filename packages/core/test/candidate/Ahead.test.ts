import { Effect } from "effect"
import { beforeEach, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import { giveUp } from "@pawl/core/candidate/Abandonment"
import { predictedHead } from "@pawl/core/candidate/Base"
import { predict, predicted } from "@pawl/core/candidate/Predictions"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { recompose } from "@pawl/core/candidate/Recomposition"
import { refute } from "@pawl/core/candidate/Refutation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { decideAndCommit, demand } from "@pawl/core/ledger/Decision"
import * as Draft from "@pawl/core/ledger/Draft"
import { system } from "@pawl/core/model/Actor"
import type { Candidate } from "@pawl/core/model/Candidate"
import { candidateFork } from "@pawl/core/primitives/Ids"
import * as Time from "@pawl/core/primitives/Time"
import { Repositories } from "@pawl/core/project/Repositories"
import { readFiles } from "@pawl/core/project/Source"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** What the lane's step does to compose a Change: on canonical, or on the Candidate ahead. */
const on = (
  ahead: Candidate | null,
  asked: { readonly changeId: Candidate["changeId"]; readonly changeSets: Candidate["changeSets"] },
  before: Candidate | null = null
) =>
  decideAndCommit(
    Effect.gen(function* () {
      const change = yield* demand("change", asked.changeId)
      const head = (yield* demand("head", change.record.projectId)).record
      const base = ahead === null ? head : predictedHead(ahead)!
      const found = yield* predicted({ ...asked, base, ahead: ahead?.id ?? null, before }, head)
      const draft = Draft.begin(change.record.projectId, system("test"), yield* Time.now)
      predict(draft, change, found, 0)
      return { answer: found.candidate, commit: Draft.end(draft, { name: "Test.predict" }) }
    })
  )

/** A Change with one ChangeSet. */
const work = (projectId: string, request: string, files: Record<string, string>) =>
  Effect.gen(function* () {
    const change = yield* opened(projectId, request)
    const changeSet = yield* ChangeSets.record(person, { changeId: change.id, message: request, files })
    return { changeId: change.id, changeSets: [changeSet.id] }
  })

const now = (candidate: { readonly id: string }) =>
  Effect.map(demand("candidate", candidate.id), ({ record }) => record)

const told = Effect.fnUntraced(function* (projectId: string, type: string, subject: string) {
  const events = yield* (yield* EventLog).read(projectId, 0, 1000)
  return events.filter((each) => each.type === type && each.subject === subject).map(({ data }) => data)
})

const threeInLine = Effect.gen(function* () {
  const project = yield* newProject()
  const first = yield* candidateOf(project.id, "a", { "a.txt": "a" })
  const b = yield* work(project.id, "b", { "b.txt": "b" })
  const c = yield* work(project.id, "c", { "c.txt": "c" })
  const second = yield* on(first, b)
  yield* settle
  const third = yield* on(yield* now(second), c)
  yield* settle
  return { project, first, second: yield* now(second), third: yield* now(third), b, c }
})

it("composes each on the commit of the one ahead, so that all of them land without another run", () =>
  run(
    Effect.gen(function* () {
      const { first, project, second, third } = yield* threeInLine
      expect([second.status, third.status]).toEqual(["verified", "verified"])
      expect(second).toMatchObject({ ahead: first.id, baseGeneration: 1, baseCommit: first.commit, prediction: 0 })
      expect(third).toMatchObject({ ahead: second.id, baseGeneration: 2, baseCommit: second.commit })
      const refused = yield* Effect.flip(Promotions.promote(person, third.id))
      expect(refused).toMatchObject({ _tag: "Blocked", blocks: [{ code: "base_ahead" }] })
      for (const each of [first, second, third]) {
        yield* Promotions.promote(person, each.id)
        yield* settle
      }
      const head = (yield* demand("head", project.id)).record
      expect(head).toMatchObject({ generation: 3, commit: third.commit })
      const files = yield* readFiles({ project: project.id }, head.tree)
      expect([...files.keys()].filter((path) => path.endsWith(".txt"))).toEqual([
        "a.txt",
        "b.txt",
        "c.txt",
        "result.txt"
      ])
    })
  ))

it("shows of a Change on the one ahead its own diff and its own risk, and tells what it was made on", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const heavy = yield* candidateOf(project.id, "a", {
        "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "other" }] })
      })
      const second = yield* on(heavy, yield* work(project.id, "b", { "docs/b.md": "b" }))
      yield* settle
      const { commit, plan, tree } = yield* now(second)
      expect([heavy.plan?.riskTier, plan?.riskTier]).toEqual(["high", "low"])
      expect(plan?.checks.find(({ id }) => id === "test")).toMatchObject({ command: "other" })
      expect(yield* told(project.id, "candidate.composed", second.id)).toEqual([
        { changeId: second.changeId, commit, tree, riskTier: "low", ahead: heavy.id, predictedGeneration: 2 }
      ])
    })
  ))

it("tells of what fails on the one ahead, or does not merge with it, that this is provisional", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const first = yield* candidateOf(project.id, "a", { "a.txt": "a" })
      const bad = yield* on(first, yield* work(project.id, "b", { "result.txt": "broken" }))
      const odd = yield* on(first, yield* work(project.id, "c", { "a.txt": "c" }))
      const provisional = { ahead: first.id, provisional: true }
      yield* settle
      expect(yield* now(bad)).toMatchObject({ status: "rejected", rejection: "checks_failed" })
      expect(yield* told(project.id, "candidate.rejected", bad.id)).toMatchObject([provisional])
      expect(yield* now(odd)).toMatchObject({ status: "rejected", rejection: "merge_conflict", conflicts: ["a.txt"] })
      expect(yield* told(project.id, "candidate.rejected", odd.id)).toMatchObject([provisional])
    })
  ))

it("tells so of what an approver rejects, and of what was given up, where it was made on the one ahead", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const first = yield* candidateOf(project.id, "a", { "a.txt": "a" })
      const owing = yield* on(first, yield* work(project.id, "b", { "migrations/1.sql": "select 1" }))
      yield* settle
      const { changeId, id: candidateId } = owing
      yield* Approvals.decide(person, { changeId, candidateId, decision: "rejected" })
      const dead = yield* on(first, yield* work(project.id, "c", { "c.txt": "c" }))
      yield* giveUp(person, dead.id)
      const provisional = { ahead: first.id, provisional: true }
      expect(yield* told(project.id, "candidate.rejected", candidateId)).toEqual([
        { changeId, reason: `rejected by ${person.id}`, ...provisional }
      ])
      expect(yield* told(project.id, "candidate.rejected", dead.id)).toEqual([
        {
          changeId: dead.changeId,
          reason: "its verification was given up: ask for it again with retry",
          ...provisional
        }
      ])
    })
  ))

it("says nothing more of what an approver rejects on canonical", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const { changeId, id } = yield* candidateOf(project.id, "b", { "migrations/1.sql": "select 1" })
      yield* Approvals.decide(person, { changeId, candidateId: id, decision: "rejected" })
      expect(yield* told(project.id, "candidate.rejected", id)).toEqual([
        { changeId, reason: `rejected by ${person.id}` }
      ])
    })
  ))

it("makes a Candidate stale when the one ahead is gone, and charges that to nobody", () =>
  run(
    Effect.gen(function* () {
      const { b, first, project, second } = yield* threeInLine
      yield* refute(second.id, "the one ahead was refused")
      expect(yield* now(second)).toMatchObject({ status: "stale", recomposition: 0 })
      const repositories = yield* Repositories
      const again = yield* on(first, b, yield* now(second))
      expect(again).toMatchObject({ lineage: second.lineage, attempt: 2, recomposition: 0, prediction: 1 })
      yield* repositories.remove({ project: project.id, fork: candidateFork(first.id) })
      yield* settle
      const fell = { code: "gone", changeId: first.changeId, candidateId: first.id }
      expect(yield* now(again)).toMatchObject({ status: "stale", reason: `${first.id} is gone`, fell })
      const alone = yield* recompose(again.id)
      expect(alone).toMatchObject({ lineage: second.lineage, recomposition: 0, ahead: null, baseGeneration: 0 })
      yield* settle
      expect((yield* now(alone!)).status).toBe("verified")
    })
  ))

it("never blocks a Change for predictions that fell, and never counts them among its Candidates", () =>
  run(
    Effect.gen(function* () {
      const { b, first, second } = yield* threeInLine
      let last: Candidate = second
      for (let n = 0; n < 4; n++) {
        yield* refute(last.id, "the one ahead was refused")
        last = yield* on(first, b, yield* now(last))
        yield* settle
      }
      expect(yield* now(last)).toMatchObject({ status: "verified", prediction: 4, recomposition: 0 })
      const { candidate, created } = yield* Candidates.request(person, { changeId: b.changeId })
      expect([created, candidate.recomposition, candidate.ahead]).toEqual([true, 0, null])
    })
  ))
