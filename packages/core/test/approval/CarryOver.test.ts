import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Audits from "@pawl/core/audit/Audits"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { swapDecision } from "@pawl/core/promotion/Canonical"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { why } from "@pawl/core/why/Why"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { joined, leaves, newestOf } from "../kit/Scenes.ts"
import { carryingProject, grant, granted, overtaken, own, rowsOf, statusOf } from "./CarryScenes.ts"

const owes = { _tag: "Blocked", blocks: [{ code: "approval_missing" }] }

const promotionStatement = (projectId: string, generation: number) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Records).list("statement", { limit: "all" })
    const found = items.find(({ record }) => record.kind === "promotion" && record.generation === generation)
    return JSON.parse(found!.record.payload) as { predicate: Record<string, unknown> }
  })

describe("An approval", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is carried over to the next Candidate that does the same to the same files, as a row for its exact tree that says so", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const again = yield* overtaken(projectId, one)
        const [given] = yield* rowsOf(one)
        const rows = yield* rowsOf(again)
        expect(again.tree).not.toBe(one.tree)
        expect(rows).toMatchObject([
          { tree: again.tree, decision: "granted", approver: person.id, derivedFrom: given!.id, basis: again.diff }
        ])
        expect(yield* statusOf(one.changeId)).toBe("verifying")
        const events = yield* (yield* EventLog).read(projectId, 0, 500)
        const told = events.filter(({ subject, type }) => subject === again.id && type.startsWith("approval."))
        expect(told.map(({ data, type }) => [type, data])).toMatchObject([
          ["approval.granted", { approvalId: rows[0]!.id, derivedFrom: given!.id, owed: 0 }]
        ])
        expect((yield* why(again.id)).approval.decisions).toMatchObject([{ counts: true, derivedFrom: given!.id }])
      })
    ))

  it("stands in the statement as what the person granted, with the tree that it was granted for; an audit finds nothing", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const again = yield* overtaken(projectId, one)
        const { generation } = yield* Promotions.promote(person, again.id)
        yield* settle
        const [given] = yield* rowsOf(one)
        const [row] = yield* rowsOf(again)
        const diff = { sha256: again.diff }
        expect((yield* promotionStatement(projectId, generation)).predicate).toMatchObject({
          candidate: { id: again.id, diff },
          approvals: [{ id: given!.id, tree: one.tree, carriedFrom: { tree: one.tree, diff } }]
        })
        expect((yield* demand("generation", `${projectId}/${generation}`)).record.approvalIds).toEqual([row!.id])
        expect((yield* Audits.examine(projectId)).findings).toEqual([])
      })
    ))

  it("is not carried over where a file of it stands otherwise before", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const again = yield* overtaken(projectId, one, [person], { "shared.js": own["shared.js"] })
        expect(again.status).toBe("verified")
        expect(yield* rowsOf(again)).toEqual([])
        expect(yield* Effect.flip(Promotions.promote(person, again.id))).toMatchObject(owes)
        expect(yield* statusOf(one.changeId)).toBe("awaiting_approval")
      })
    ))

  it.each([
    { policy: "never carries", fields: { lane: { mode: "on", carryApprovals: "never" } } },
    { policy: "has no lane", fields: { lane: { mode: "off", carryApprovals: "same-blobs" } } }
  ] as const)("is not carried over by a Policy that $policy, and no Candidate keeps its difference", ({ fields }) =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject(fields)
        const one = yield* granted(projectId)
        const again = yield* overtaken(projectId, one)
        expect(yield* rowsOf(again)).toEqual([])
        expect([one.diff, again.diff]).toEqual([undefined, undefined])
      })
    )
  )

  it("is not carried over to what another version of the Policy planned", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const { record: policy } = yield* demand("policy", projectId)
        yield* Policies.change(person, projectId, policy)
        expect(yield* rowsOf(yield* overtaken(projectId, one))).toEqual([])
      })
    ))

  it("counts no more, carried over, when its approver has left", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const other = yield* joined(projectId, 7)
        const again = yield* overtaken(projectId, yield* granted(projectId, [other]))
        expect(yield* rowsOf(again)).toHaveLength(1)
        yield* leaves(projectId, other)
        expect(yield* Effect.flip(Promotions.promote(person, again.id))).toMatchObject(owes)
      })
    ))

  it("is carried over for each of several people, and not for who may not approve the work", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject({ approvalsRequired: 2, allowSelfApproval: false })
        const people = yield* Effect.forEach([7, 8, 9], (n) => joined(projectId, n))
        const [ann, ben, cleo] = [people[0]!, people[1]!, people[2]!]
        const one = yield* granted(projectId, [ann])
        const again = yield* overtaken(projectId, one, [ann, ben])
        expect((yield* rowsOf(again)).map(({ approver }) => approver)).toEqual([ann.id])
        expect(yield* Effect.flip(Promotions.promote(person, again.id))).toMatchObject(owes)
        yield* grant(cleo, again)
        expect((yield* Promotions.promote(person, again.id)).outcome).toBe("promoted")
      })
    ))

  it("is the same decision again for who granted it, and leaves everybody free to reject what was only carried over", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const again = yield* overtaken(projectId, one)
        const [row] = yield* rowsOf(again)
        expect((yield* grant(person, again)).id).toBe(row!.id)
        const rejecting = { changeId: again.changeId, candidateId: again.id, decision: "rejected" } as const
        expect((yield* Approvals.decide(person, rejecting)).nth).toBe(2)
        expect((yield* demand("candidate", again.id)).record.status).toBe("rejected")
        expect((yield* newestOf(one.id))!.id).toBe(again.id)
      })
    ))

  it("is guarded by the promotion that stands on it, with every decision on the Candidate that it was given to", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const read = yield* Promotions.snapshot((yield* overtaken(projectId, one)).id)
        const change = { ...read.change.record, status: "promoting", promotingCandidateId: null } as const
        const asked = { ...read, change: { ...read.change, record: change } }
        const decision = swapDecision(asked, { actor: person, trigger: "user", now: change.updatedAt })
        const expects = decision._tag === "Swap" ? (decision.commit.expects ?? []) : []
        const guarded = expects.flatMap((each) => (each.kind === "approval" ? [each.id] : []))
        expect(guarded).toEqual(expect.arrayContaining([one.id, `${one.id}/2`]))
      })
    ))
})
