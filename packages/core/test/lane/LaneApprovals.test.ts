/** What an approval does for a Change in the lane: it never has one go out by itself, and is carried along where the Policy says so. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Audits from "@pawl/core/audit/Audits"
import { enter } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { outcome } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf, every } from "../kit/Scenes.ts"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const migration = { "migrations/1.sql": "select 1" }

/** Every risk goes out by itself, but `high` needs an approval. */
const listed: Partial<PolicyFields> = { autoPromoteRiskTiers: every, approvalRiskTiers: ["high"] }

const entryOf = (id: string) => Effect.map(demand("laneEntry", id), ({ record }) => record)

/** Grants the Candidate of an entry. */
const granted = (entryId: string) =>
  Effect.gen(function* () {
    const { candidateId, changeId } = yield* entryOf(entryId)
    yield* Approvals.decide(person, { changeId, candidateId: candidateId ?? "", decision: "granted" })
  })

const approvalsIn = (projectId: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Records).list("approval", { projectId, limit: "all" })
    return items.map(({ record }) => record)
  })

/** A Change that the Policy had enter, and that turned out to owe an approval. */
const owed = Effect.gen(function* () {
  const projectId = yield* laneProject(listed)
  const { changeId } = yield* askedFor(projectId, "owed", migration)
  yield* settle
  const [entry] = (yield* outcome(projectId)).entries
  expect([entry?.status, entry?.trigger]).toEqual(["aside", "auto"])
  return { projectId, changeId, id: entry?.id ?? "" }
})

describe("A Change that owed an approval", () => {
  it("does not go out by itself once it is granted, where there is no lane", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ ...listed, lane: { mode: "off" } })
        const { changeId, id } = yield* candidateOf(projectId, "owed", migration)
        yield* Approvals.decide(person, { changeId, candidateId: id, decision: "granted" })
        yield* settle
        expect((yield* outcome(projectId)).generation).toBe(0)
      })
    ))

  it("does not in the lane either: it waits until somebody has it land", () =>
    run(
      Effect.gen(function* () {
        const { changeId, id, projectId } = yield* owed
        expect((yield* laneWhy(id))?.waits).toEqual({ for: "approval" })
        yield* granted(id)
        yield* settle
        expect((yield* entryOf(id)).status).toBe("aside")
        expect((yield* laneWhy(id))?.waits).toEqual({ for: "order" })
        yield* enter(person, { changeId })
        yield* settle
        const { ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([1, ["landed landed"]])
        expect(yield* approvalsIn(projectId)).toHaveLength(1)
      })
    ))

  it("lands as soon as it is granted when it was told to land before", () =>
    run(
      Effect.gen(function* () {
        const { changeId, id, projectId } = yield* owed
        yield* enter(person, { changeId })
        yield* settle
        expect((yield* laneWhy(id))?.waits).toEqual({ for: "approval" })
        yield* granted(id)
        yield* settle
        const { ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([1, ["landed landed"]])
      })
    ))

  it("does not enter by being approved: it is told to land, and lands as it was approved", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ autoPromoteRiskTiers: [], approvalRiskTiers: ["high"] })
        const { changeId, id } = yield* candidateOf(projectId, "owed", migration)
        yield* Approvals.decide(person, { changeId, candidateId: id, decision: "granted" })
        yield* settle
        const before = yield* outcome(projectId)
        expect([before.generation, before.ends]).toEqual([0, []])
        yield* enter(person, { changeId })
        yield* settle
        const { entries, generation } = yield* outcome(projectId)
        expect([generation, entries.map(({ candidateId }) => candidateId)]).toEqual([1, [id]])
      })
    ))
})

/** A line of three of which the one in the middle owes an approval, and the file that all of them may touch. */
const line = (later: Record<string, string>) =>
  Effect.gen(function* () {
    const lane = { mode: "on", depth: 20, carryApprovals: "same-blobs" } as const
    const projectId = yield* laneProject({ approvalRiskTiers: ["high"], lane })
    yield* entered(projectId, "before", { "shared.js": "before()" })
    yield* settle
    yield* entered(projectId, "free", { "free.txt": "free" })
    const owing = yield* entered(projectId, "owing", { ...migration, "shared.js": "shared()" })
    yield* entered(projectId, "later", later)
    yield* carriedOn(projectId)
    expect((yield* outcome(projectId)).ends).toEqual(["landed landed", "ready", "aside", "ready"])
    yield* granted(owing.id)
    yield* carriedOn(projectId)
    return { projectId, owing }
  })

describe("An approval that the Policy carries over", () => {
  it("counts behind those that run: it is granted once, and lands last, as the tree that it makes of theirs", () =>
    run(
      Effect.gen(function* () {
        const { owing, projectId } = yield* line({ "later.txt": "later" })
        const { candidateId, place, status } = yield* entryOf(owing.id)
        const [, , , later] = (yield* outcome(projectId)).entries
        expect([status, place > (later?.place ?? 0)]).toEqual(["ready", true])
        const { ahead, tree } = (yield* demand("candidate", candidateId ?? "")).record
        expect(ahead).toBe(later?.candidateId)
        const [given, derived, ...more] = yield* approvalsIn(projectId)
        expect(more).toEqual([])
        expect(given?.derivedFrom).toBeUndefined()
        expect(derived).toMatchObject({ candidateId, tree, derivedFrom: given?.id, approver: person.id })
        expect(given?.tree).not.toBe(tree)
        yield* settle
        const { entries } = yield* outcome(projectId)
        expect(entries.map(({ outcome: end }) => end?.generation)).toEqual([1, 2, 4, 3])
        expect(yield* approvalsIn(projectId)).toHaveLength(2)
        expect((yield* Audits.examine(projectId)).findings).toEqual([])
      })
    ))

  it("does not count where one before it made the same of a file: it stands aside again, and is granted anew", () =>
    run(
      Effect.gen(function* () {
        const { owing, projectId } = yield* line({ "shared.js": "shared()" })
        yield* settle
        const { ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([3, ["landed landed", "landed landed", "aside", "landed landed"]])
        expect((yield* laneWhy(owing.id))?.waits).toEqual({ for: "approval" })
        expect(yield* approvalsIn(projectId)).toHaveLength(1)
        yield* granted(owing.id)
        yield* settle
        expect((yield* outcome(projectId)).generation).toBe(4)
        expect((yield* Audits.examine(projectId)).findings).toEqual([])
      })
    ))
})

/** An approver rejects the Candidate of an entry. */
const refused = (entryId: string) =>
  Effect.gen(function* () {
    const { candidateId, changeId } = yield* entryOf(entryId)
    yield* Approvals.decide(person, { changeId, candidateId: candidateId ?? "", decision: "rejected" })
  })

/** How an entry of the line has ended, and how many predictions of it fell. */
const ended = (projectId: string) =>
  Effect.map(outcome(projectId), ({ ends, entries }) => ends.map((end, n) => [end, entries[n]?.predictions]))

describe("A Candidate in the lane that an approver rejects", () => {
  it("takes its entry out, and nobody who went past it is made anew", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: ["high"] })
        yield* entered(projectId, "free", { "free.txt": "free" })
        const owing = yield* entered(projectId, "owing", migration)
        yield* entered(projectId, "later", { "later.txt": "later" })
        yield* carriedOn(projectId)
        yield* refused(owing.id)
        yield* settle
        expect(yield* ended(projectId)).toEqual([
          ["landed landed", 0],
          ["left approval_rejected", 0],
          ["landed landed", 0]
        ])
        const { laneEntryId, status } = (yield* demand("change", owing.changeId)).record
        expect([laneEntryId, status]).toEqual([null, "verifying"])
      })
    ))

  it("has each of those that were made on it made anew once, when it had been carried over", () =>
    run(
      Effect.gen(function* () {
        const { owing, projectId } = yield* line({ "later.txt": "later" })
        const behind = yield* Effect.forEach(["x", "y"], (name) => entered(projectId, name, { [`${name}.txt`]: name }))
        yield* carriedOn(projectId)
        const before = yield* Effect.forEach(behind, ({ id }) => entryOf(id))
        expect(before.map(({ predictions, status }) => [status, predictions])).toEqual([
          ["ready", 0],
          ["ready", 0]
        ])
        yield* refused(owing.id)
        yield* carriedOn(projectId)
        const left = ["left approval_rejected", 0]
        const once = ["ready", 1]
        expect(yield* ended(projectId)).toEqual([["landed landed", 0], ["ready", 0], left, ["ready", 0], once, once])
        yield* settle
        const { generation } = yield* outcome(projectId)
        expect([generation, (yield* entryOf(behind[1]?.id ?? "")).predictions]).toEqual([5, 1])
      })
    ))
})
