/** One retry of what failed, on the same tree: what stays of it, what it may change, and what nothing but it may. */
import { Effect, Layer } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import * as Policies from "@pawl/core/approval/Policies"
import * as Audits from "@pawl/core/audit/Audits"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { flakesOf } from "@pawl/core/verification/Flakes"
import { why } from "@pawl/core/why/Why"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf, newProject } from "../kit/Scenes.ts"

type Program = Parameters<typeof run>[0]

/** What the commands in sandboxes exit with, in their order and 0 after that, and the sandboxes that there were. */
interface Runs {
  readonly exits: Array<number>
  readonly ids: Array<string>
}

const play = (exits: ReadonlyArray<number>, story: (runs: Runs) => Program) => {
  const runs: Runs = { exits: [...exits], ids: [] }
  const sandbox = MemorySandbox.layerMemory((job) =>
    Effect.sync(() => {
      runs.ids.push(job.id)
      return { outcome: { _tag: "Exited" as const, code: runs.exits.shift() ?? 0 } }
    })
  )
  return run(Effect.scoped(Effect.flatMap(Layer.build(sandbox), (built) => Effect.provide(story(runs), built))))
}

const projectWith = (policy: Partial<PolicyFields>) =>
  Effect.tap(newProject(), ({ id }) => Policies.change(person, id, policy))

const rowsOf = (candidateId: string) =>
  Effect.map(evidenceOf(candidateId), (rows) => rows.filter(({ checkId }) => checkId === "test"))

const flakesIn = (projectId: string) =>
  Effect.flatMap(Records, (records) => Effect.map(records.list("flake", { projectId }), ({ items }) => items))

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

describe("A check that fails and passes on one tree", () => {
  it("leaves both rows and one fact, counts as passed and says that it is flaky, in score, statement and audit", () =>
    play([1], (runs) =>
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect(candidate).toMatchObject({ status: "verified", score: { passed: true, flaky: true } })
        const [failure, retry, ...others] = yield* rowsOf(candidate.id)
        expect(others).toEqual([])
        expect(failure).toMatchObject({ result: "fail", attempt: 1, tree: candidate.tree })
        expect(retry).toMatchObject({ result: "pass", attempt: 2, tree: candidate.tree, retryOf: failure?.id })
        expect(new Set(runs.ids).size).toBe(2)
        expect(candidate.score?.checks.find(({ checkId }) => checkId === "test")).toMatchObject({
          verdict: "pass",
          evidenceId: retry?.id,
          flaky: true
        })
        const fact = { checkId: "test", tree: candidate.tree, failId: failure?.id, passId: retry?.id }
        const [flake, ...more] = yield* flakesIn(projectId)
        expect([flake?.record, more]).toMatchObject([fact, []])
        expect(yield* flakesOf(projectId, yield* Time.now)).toMatchObject({
          checks: [
            { checkId: "build", runs: 1, failures: 0, flakes: 0, rate: 0 },
            { checkId: "test", runs: 1, failures: 1, flakes: 1, rate: 1, quarantinedUntil: null }
          ],
          flakes: [fact]
        })
        const seen = (yield* why(candidate.id)).checks.find(({ checkId }) => checkId === "test")
        expect(seen).toMatchObject({
          verdict: "pass",
          flaky: true,
          retried: { failureId: failure?.id, retryId: retry?.id, result: "pass" }
        })
        yield* Promotions.promote(person, candidate.id)
        yield* settle
        const { items } = yield* (yield* Records).list("statement", { projectId, limit: "all" })
        const said = items.find(({ record }) => record.kind === "promotion" && record.generation === 1)
        const { checks } = JSON.parse(said?.record.payload ?? "{}").predicate
        expect(checks.find((each: { check: string }) => each.check === "test")).toMatchObject({
          id: retry?.id,
          attempt: 2,
          retryOf: { id: failure?.id }
        })
        expect((yield* Audits.run(projectId)).findings).toEqual([])
      })
    ))

  it("is told with its rate beside a check that fails, when it fails twice", () =>
    play([1, 1], (runs) =>
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect(candidate).toMatchObject({ status: "rejected", rejection: "checks_failed" })
        expect((yield* rowsOf(candidate.id)).map(({ attempt, result }) => [attempt, result])).toEqual([
          [1, "fail"],
          [2, "fail"]
        ])
        expect([runs.ids.length, yield* flakesIn(projectId)]).toEqual([2, []])
        const rate = { checkId: "test", runs: 1, failures: 1, flakes: 0, rate: 0 }
        const { checks } = yield* why(candidate.id)
        const [failure, retry] = yield* rowsOf(candidate.id)
        const retried = { failureId: failure?.id, retryId: retry?.id, result: "fail", summary: retry?.summary }
        expect(checks.map(({ checkId, flakes, retried: told }) => [checkId, flakes, told])).toEqual([
          ["build", undefined, undefined],
          ["test", rate, retried]
        ])
      })
    ))

  it("has failed when its retry could not run: that shows nothing of the failure", () =>
    play([1, 127, 127, 127], () =>
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect(candidate).toMatchObject({ status: "rejected", rejection: "checks_failed" })
        expect((yield* rowsOf(candidate.id)).map(({ result }) => result)).toEqual(["fail", "gap"])
      })
    ))

  it("is not retried by a Policy that does not say so, and nothing is there that was not before", () =>
    play([1], (runs) =>
      Effect.gen(function* () {
        const { id: projectId } = yield* newProject()
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect(candidate.status).toBe("rejected")
        expect([runs.ids.length, (yield* rowsOf(candidate.id)).length]).toEqual([1, 1])
        expect(Object.keys((yield* demand("policy", projectId)).record)).not.toContain("flakeRetries")
        expect(Object.keys(candidate.plan ?? {})).not.toContain("flakeRetries")
        expect((yield* why(candidate.id)).checks.every((check) => !("flakes" in check))).toBe(true)
      })
    ))

  it("has failed again once a Policy without retries plans it anew", () =>
    play([1], () =>
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        const { changeId, id } = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        yield* Policies.change(person, projectId, {})
        yield* Candidates.request(person, { changeId })
        yield* settle
        expect((yield* demand("candidate", id)).record).toMatchObject({ status: "rejected" })
      })
    ))
})

describe("A quarantine", () => {
  const inDays = (days: number) => Effect.map(Time.nowMillis, (now) => Time.fromMillis(now + days * Time.dayMs))
  const quarantine = (until: string, id = "test"): Partial<PolicyFields> => ({
    flakeRetries: 1,
    waivedChecks: [{ id, reason: "the clock test", until, because: "flaky" }]
  })

  it("needs a flake that was seen, ends within 14 days, and is an admin's alone", () =>
    play([1], () =>
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        const soon = yield* inDays(Limits.quarantineDaysMax)
        const put = (policy: Partial<PolicyFields>) => Effect.flip(Policies.change(person, projectId, policy))
        expect(yield* put(quarantine(soon))).toMatchObject({
          field: "waivedChecks",
          reason: "test was not seen to fail and pass on one tree: there is no flake of it"
        })
        yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect(yield* put(quarantine(yield* inDays(15)))).toMatchObject({
          reason: "test: a quarantine ends within 14 days"
        })
        expect(yield* put(quarantine(soon, "other"))).toMatchObject({ field: "waivedChecks" })
        expect(yield* put(quarantine(soon, "build"))).toMatchObject({ field: "waivedChecks" })
        const task = "tsk_chg_00000000-0000-4000-8000-000000000001_edit"
        const byAgent = Policies.change({ type: "agent", id: `agt_${task}` }, projectId, quarantine(soon))
        expect(yield* Effect.flip(byAgent)).toMatchObject({ _tag: "InsufficientScope" })
        yield* Policies.change(person, projectId, quarantine(soon))
      })
    ))

  it("lets the check run and fail without counting, and stands in plan, evidence and audit until its end", () =>
    play([1], (runs) =>
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        const until = yield* inDays(7)
        yield* Policies.change(person, projectId, quarantine(until))
        runs.exits.push(1, 1)
        const { id } = yield* askedFor(projectId, "r2", { "b.txt": "b" })
        yield* settle
        const candidate = (yield* demand("candidate", id)).record
        const waived = { reason: "the clock test", until, because: "flaky" }
        expect(candidate.status).toBe("verified")
        expect(candidate.plan?.checks.find((check) => check.id === "test")).toMatchObject({ waived })
        expect(yield* rowsOf(id)).toMatchObject([
          { result: "fail", waived },
          { result: "fail", waived }
        ])
        expect((yield* flakesOf(projectId, yield* Time.now)).checks).toContainEqual({
          checkId: "test",
          runs: 2,
          failures: 2,
          flakes: 1,
          rate: 0.5,
          quarantinedUntil: until
        })
        yield* Promotions.promote(person, id)
        yield* settle
        expect((yield* Audits.run(projectId)).findings).toEqual([])
      })
    ))
})
