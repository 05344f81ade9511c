/** What a rollback would do, told before anybody asks for it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Removal from "@pawl/core/app/Removal"
import * as Policies from "@pawl/core/approval/Policies"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Archival from "@pawl/core/project/Archival"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { foresee } from "@pawl/core/promotion/RollbackPlans"
import { person, run, settle } from "../kit/MemoryPawl.ts"
import { ask, candidate, live, twoLive } from "../kit/RollbackScenes.ts"
import { newProject } from "../kit/Scenes.ts"

describe("The plan of a rollback", () => {
  it("names what changes, what is undone, the risk and what the gate will ask: what the rollback then comes to", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* live(id, "one", { "lib/a.js": "one\n" })
        const two = yield* live(id, "two", { "lib/a.js": "two\n", "lib/b.js": "two\n" })
        yield* Policies.change(person, id, {
          approvalRiskTiers: ["medium"],
          approvalsRequired: 2,
          approvalsSigned: ["medium"],
          allowSelfApproval: false
        })
        const plan = yield* foresee(id, 1, 2)
        expect(plan).toMatchObject({
          head: { generation: 2 },
          target: { generation: 1 },
          changed: { filesTotal: 2, additions: 1, deletions: 2 },
          undoneTotal: 1,
          riskTier: "medium",
          policyVersion: 2,
          approval: { owed: 2, signed: true, self: false },
          underWay: null
        })
        expect(plan.changed?.files).toEqual([
          { path: "lib/a.js", status: "modified", additions: 1, deletions: 1 },
          { path: "lib/b.js", status: "deleted", additions: 0, deletions: 1 }
        ])
        expect(plan.undone).toMatchObject([
          { generation: 2, change: { id: two.changeId, goal: "a goal", kind: "goal", riskTier: "medium" } }
        ])
        const asked = yield* ask(id, 1, 2)
        expect((yield* foresee(id, 1, 2)).underWay).toEqual({
          changeId: asked.change.id,
          candidateId: asked.candidate.id
        })
        yield* settle
        const made = yield* candidate(asked.candidate.id)
        expect(made).toMatchObject({ tree: plan.target.tree, baseCommit: plan.head.commit })
        expect(made.plan).toMatchObject({ riskTier: plan.riskTier, approvalRequired: true, policyVersion: 2 })
        expect(made.plan?.checks.map(({ id: checkId, title }) => ({ id: checkId, title }))).toEqual(plan.checks)
      })
    ))

  it("warns of data where there is an app, and owes nothing where the Policy asks for nothing", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* twoLive
        const plan = yield* foresee(id, 0, null)
        expect(plan.dataWarning).toMatch(/^Data stays as it is: what the app stored since S0 /)
        expect(plan.approval).toEqual({ owed: 0, signed: false, self: true })
      })
    ))

  it("says nothing of data where nothing is released", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* twoLive
        yield* Removal.remove(person, id)
        yield* settle
        expect((yield* foresee(id, 0, null)).dataWarning).toBe(null)
      })
    ))

  it("names the newest that are undone, and counts the rest", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* twoLive
        for (let head = 2; head < 5; head++) {
          const { candidate: back } = yield* ask(id, head - 2, head)
          yield* settle
          yield* Promotions.promote(person, back.id)
          yield* settle
        }
        const plan = yield* foresee(id, 0, 5)
        expect(plan.undone.map(({ change, generation }) => [generation, change?.kind])).toEqual([
          [5, "rollback"],
          [4, "rollback"],
          [3, "rollback"],
          [2, "goal"],
          [1, "goal"]
        ])
        expect(plan.undoneTotal).toBe(5)
        expect(plan.undone.length).toBeLessThan(Limits.undoneNamed)
      })
    ))

  it("is refused as the rollback would be, and stores nothing", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* twoLive
        const events = yield* EventLog
        const seen = Effect.all([demand("head", id), events.read(id, 0, 1000)])
        const before = yield* seen
        expect(yield* Effect.flip(foresee(id, 0, 1))).toMatchObject({ _tag: "RollbackStale", canonicalGeneration: 2 })
        expect(yield* Effect.flip(foresee(id, 9, null))).toMatchObject({ _tag: "Unknown", kind: "generation" })
        expect(yield* Effect.flip(foresee(id, 2, 2))).toMatchObject({ _tag: "InvalidField", field: "targetGeneration" })
        yield* foresee(id, 0, 2)
        expect(yield* seen).toEqual(before)
        yield* Archival.archive(person, id)
        expect(yield* Effect.flip(foresee(id, 0, 2))).toMatchObject({ _tag: "ProjectArchived" })
      })
    ))
})
