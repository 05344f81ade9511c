/** What a draft of a Policy would have done to the newest Changes. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import { backtest } from "@pawl/core/approval/Backtests"
import * as Policies from "@pawl/core/approval/Policies"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { demand } from "@pawl/core/ledger/Decision"
import { EventLog } from "@pawl/core/event/EventLog"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { person, run, settle } from "../kit/MemoryPawl.ts"
import { ask, live } from "../kit/RollbackScenes.ts"
import { candidateOf, joined, newProject, opened } from "../kit/Scenes.ts"

const tried = (projectId: string, fields: Partial<PolicyFields>) =>
  Effect.map(backtest(person, projectId, fields), ({ items }) => items)

/** The first Change's differences, as the draft makes them. */
const first = (projectId: string, fields: Partial<PolicyFields>) =>
  Effect.map(tried(projectId, fields), (items) => items.at(-1)?.differences)

describe("A draft of a Policy, tried on what was done", () => {
  it("says for each of the newest Changes what it would have asked, and nothing where it asks the same", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        const { changeId } = yield* live(id, "r1", { "lib/a.js": "a" })
        expect(yield* first(id, {})).toEqual([])
        const [item] = yield* tried(id, { approvalRiskTiers: ["medium"], approvalsRequired: 2 })
        expect(item).toMatchObject({
          change: { id: changeId },
          generation: 1,
          was: {
            policyVersion: 1,
            riskTier: "medium",
            approvals: { owed: 0, given: 0 },
            blocks: [],
            checks: ["build", "test"]
          },
          would: { policyVersion: 2, approvals: { owed: 2, given: 0 }, blocks: [], promotesItself: false },
          unsure: []
        })
        expect(item?.differences).toEqual([
          {
            code: "approvals",
            reason: "At risk medium 2 people would have to approve; nobody had to. None was given that would count."
          }
        ])
      })
    ))

  it("counts approvals as the draft would: an author's grant counts for nothing where it may not", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        const policy = { approvalRiskTiers: ["medium"], approvalsRequired: 2 } as const
        yield* Policies.change(person, id, policy)
        const candidate = yield* candidateOf(id, "r1", { "lib/a.js": "a" })
        for (const who of [person, yield* joined(id, 2)])
          yield* Approvals.decide(who, {
            changeId: candidate.changeId,
            candidateId: candidate.id,
            decision: "granted"
          })
        yield* Promotions.promote(person, candidate.id)
        yield* settle
        const [item] = yield* tried(id, { ...policy, allowSelfApproval: false })
        expect([item?.was?.approvals, item?.would?.approvals]).toEqual([
          { owed: 2, given: 2 },
          { owed: 2, given: 1 }
        ])
        expect(item?.differences.map(({ code }) => code)).toEqual(["approvals"])
        expect(yield* first(id, {})).toEqual([
          { code: "approvals", reason: "No approval would be owed at risk medium; 2 people had to approve." }
        ])
      })
    ))

  it("blocks what a required check does not cover, and no more what one that failed is waived of", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* live(id, "r1", { "lib/a.js": "a" })
        expect(yield* first(id, { requiredChecks: ["lint"] })).toEqual([
          { code: "checks", reason: "Would have to pass too: lint." },
          { code: "blocked", reason: "lint: gap (no evidence)" }
        ])
        const broken = yield* candidateOf(id, "r2", { "result.txt": "broken" })
        expect(broken.status).toBe("rejected")
        const until = "9999-01-01T00:00:00.000Z"
        const [item] = yield* tried(id, { waivedChecks: [{ id: "test", reason: "winter", until }] })
        expect(item?.generation).toBe(null)
        expect(item?.differences).toMatchObject([
          { code: "checks", reason: "Would not have to pass: test." },
          { code: "not_blocked", reason: expect.stringMatching(/^Would not stand in its way: test: fail/) }
        ])
      })
    ))

  it("says what would have gone out by itself, and what would have waited for a person", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* live(id, "r1", { "lib/a.js": "a" })
        expect(yield* first(id, { autoPromoteRiskTiers: ["medium"] })).toEqual([
          { code: "auto_promoted", reason: "It would go out by itself at risk medium." }
        ])
        yield* Policies.change(person, id, { autoPromoteRiskTiers: ["medium"] })
        yield* candidateOf(id, "r2", { "lib/b.js": "b" })
        expect((yield* demand("head", id)).record.generation).toBe(2)
        const [item] = yield* tried(id, {})
        expect(item?.differences).toEqual([
          { code: "not_auto_promoted", reason: "It would wait for a person to promote it." }
        ])
      })
    ))

  it("blocks what was promoted in a time that it freezes, and not who is excepted", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* live(id, "r1", { "lib/a.js": "a" })
        const until = "9999-01-01T00:00:00.000Z"
        const freeze = { from: "1970-01-01T00:00:00.000Z", until, reason: "the fair" }
        expect(yield* first(id, { freezes: [freeze] })).toEqual([
          { code: "blocked", reason: `frozen until ${until}: the fair` }
        ])
        expect(yield* first(id, { freezes: [{ ...freeze, except: [person.id as `usr_${string}`] }] })).toEqual([])
      })
    ))

  it("judges a rollback by what it undoes, and asks no check of it", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* live(id, "r1", { "lib/a.js": "a" })
        const { candidate } = yield* ask(id, 0, 1)
        yield* settle
        yield* Promotions.promote(person, candidate.id)
        yield* settle
        const [rollback] = yield* tried(id, { approvalRiskTiers: ["medium"], requiredChecks: ["lint"] })
        expect(rollback).toMatchObject({
          change: { kind: "rollback" },
          was: { checks: ["tree-equals"] },
          would: { checks: ["tree-equals"], approvals: { owed: 1 } }
        })
        expect(rollback?.differences.map(({ code }) => code)).toEqual(["approvals"])
      })
    ))

  it("says nothing of a Change that no gate has judged, and looks at so many", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        for (let n = 0; n <= Limits.backtestChanges; n++) yield* opened(id, `r${n}`)
        const items = yield* tried(id, { approvalRiskTiers: ["low"] })
        expect(items.length).toBe(Limits.backtestChanges)
        expect(items[0]).toMatchObject({ change: { clientRequestId: `r${Limits.backtestChanges}` } })
        for (const item of items)
          expect(item).toMatchObject({ candidateId: null, was: null, would: null, differences: [] })
      })
    ))

  it("stores nothing, tells nobody, and is refused where the Policy would be, and to agents", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* live(id, "r1", { "lib/a.js": "a" })
        const events = yield* EventLog
        const seen = Effect.all([demand("policy", id), demand("head", id), events.read(id, 0, 1000)])
        const before = yield* seen
        yield* tried(id, { approvalRiskTiers: ["low", "medium"] })
        expect(yield* Effect.flip(tried(id, { approvalsRequired: 6 }))).toMatchObject({
          _tag: "InvalidField",
          field: "approvalsRequired"
        })
        const until = "9999-01-01T00:00:00.000Z"
        const quarantine = { id: "test", reason: "flaky", until, because: "flaky" as const }
        expect(yield* Effect.flip(tried(id, { waivedChecks: [quarantine] }))).toMatchObject({ field: "waivedChecks" })
        const asked = backtest({ type: "agent", id: "agt_tsk_chg_1_a" }, id, {})
        expect(yield* Effect.flip(asked)).toMatchObject({ _tag: "InsufficientScope" })
        expect(yield* seen).toEqual(before)
      })
    ))
})
