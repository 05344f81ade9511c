import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { why } from "@pawl/core/why/Why"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { user } from "@pawl/core/model/Actor"
import { EventLog } from "@pawl/core/event/EventLog"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { candidatesOf, persons, typesOf } from "../change/ChangeScenes.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import { live } from "../kit/RollbackScenes.ts"
import * as Scenes from "../kit/Scenes.ts"
import { play } from "../kit/UpkeepScenes.ts"
import {
  type Hands,
  inWorld,
  newProject,
  planned,
  type Script,
  settleAll,
  statusOfChange,
  turn,
  usage,
  worked
} from "../kit/WorkWorld.ts"

const other = user("usr_00000000-0000-4000-8000-000000000002")
const statusOf = (id: string) => Effect.map(demand("candidate", id), ({ record }) => record.status)

/** A person's Change with two verified Candidates on S0. */
const two = Effect.gen(function* () {
  const { id: projectId } = yield* newProject
  const { candidateId: first, changeId } = yield* persons(projectId)
  yield* ChangeSets.record(person, { changeId, message: "more", files: { "b.txt": "b" } })
  const { candidate } = yield* Candidates.request(person, { changeId })
  yield* settle
  expect([yield* statusOf(first), yield* statusOf(candidate.id)]).toEqual(["verified", "verified"])
  return { projectId, changeId, first, second: candidate.id }
})

/** What the feed says of promotions: who asked for which, and which was made. */
const told = (projectId: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 500)
    return events
      .filter(({ type }) => type.startsWith("canonical."))
      .map(({ type, data, actor }) => [type, data["candidateId"], actor.id])
  })

/** Its evidence does not hold any more, so that a promotion is refused. */
const withdrawn = (candidateId: string) =>
  Effect.gen(function* () {
    const { record, revision } = yield* demand("candidate", candidateId)
    const plan = record.plan
    if (plan === null) return
    const checks = plan.checks.map((check) => ({ ...check, id: `${check.id}-2` }))
    const altered = { plan: { ...plan, checks } }
    yield* (yield* Ledger).commit({
      name: "test.altered",
      projectId: record.projectId,
      writes: [Commit.update("candidate", { record, revision }, altered)]
    })
  })

/** Promotes the first while its swap waits; `meanwhile` runs between its request and its swap. */
const between = <E>(hands: Hands, candidateId: string, meanwhile: Effect.Effect<unknown, E, never>) =>
  Effect.sync(() => hands.before.set("Promotions.swap", meanwhile)).pipe(
    Effect.andThen(Promotions.promote(person, candidateId))
  )

describe("Two Candidates of one Change", () => {
  it("are not promoted under each other's request: the second is refused while the first is under way", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { projectId, changeId, first, second } = yield* two
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof Promotions.promote | typeof why>>>()
        let refusal: unknown = null
        let reasons: unknown = null
        yield* between(
          hands,
          first,
          Effect.gen(function* () {
            refusal = yield* Effect.flip(Promotions.promote(other, second))
            reasons = yield* why(second)
          }).pipe(Effect.provide(context))
        )
        expect(refusal).toMatchObject({ _tag: "AnotherPromoting", candidateId: second, promotingCandidateId: first })
        expect(reasons).toMatchObject({
          canPromote: false,
          blocks: [{ code: "candidate_not_verified", detail: `the Change is promoting ${first}` }],
          next: { code: "another_promoting", candidateId: first }
        })
        expect(yield* told(projectId)).toEqual([
          ["canonical.promotion.requested", first, person.id],
          ["canonical.advanced", first, person.id]
        ])
        yield* settleAll
        expect([yield* statusOf(first), yield* statusOf(second)]).toEqual(["promoted", "stale"])
        expect(yield* statusOfChange(changeId)).toBe("completed")
      })
    ))

  it("that go out by themselves wait for each other: the second is asked for once the first was refused", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { projectId, first, second } = yield* two
        const context =
          yield* Effect.context<Effect.Services<ReturnType<typeof Promotions.promote | typeof Promotions.resume>>>()
        const ask = { actor: other, trigger: "auto" as const, now: "2030-01-01T00:00:00.000Z" }
        let waiting: unknown = null
        // The swap of the first is refused after the second was tried.
        const rejected = Effect.gen(function* () {
          waiting = yield* Effect.flip(Promotions.resume(second, ask))
          yield* withdrawn(first)
        })
        yield* Effect.flip(between(hands, first, rejected.pipe(Effect.provide(context))))
        expect(waiting).toMatchObject({ _tag: "Waiting", reason: expect.stringContaining(first) })
        yield* Promotions.resume(second, ask)
        expect(yield* told(projectId)).toEqual([
          ["canonical.promotion.requested", first, person.id],
          ["canonical.promotion.requested", second, other.id],
          ["canonical.advanced", second, other.id]
        ])
      })
    ))
})

describe("A Candidate of a tree that canonical does not have", () => {
  it("is marked stale by its promotion, told of once, and composed anew on the tree that is there", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* Scenes.newProject()
        const before = (yield* demand("head", projectId)).record
        yield* live(projectId, "one", { "a.txt": "one" })
        const candidate = yield* Scenes.candidateOf(projectId, "late", { "late.txt": "late" })
        const { id: candidateId, changeId } = candidate
        const head = yield* demand("head", projectId)
        yield* (yield* Ledger).commit({
          name: "test.altered",
          projectId,
          writes: [Commit.update("head", head, { tree: before.tree })]
        })
        for (const _ of [1, 2])
          expect(yield* Effect.flip(Promotions.promote(person, candidateId))).toMatchObject({
            _tag: "Stale",
            message: expect.stringContaining("another commit")
          })
        expect((yield* demand("candidate", candidateId)).record).toMatchObject({
          status: "stale",
          reason: expect.stringContaining(before.tree)
        })
        const events = yield* (yield* EventLog).read(projectId, 0, 500)
        const own = events.filter(({ subject }) => subject === candidateId).map(({ type }) => type)
        expect(own.filter((type) => type === "candidate.stale")).toEqual(["candidate.stale"])
        yield* settle
        expect(yield* candidatesOf(changeId)).toMatchObject([
          { id: candidateId, status: "stale" },
          { lineage: candidateId, recomposition: 1, baseGeneration: 1, baseTree: before.tree, status: "verified" }
        ])
      })
    ))
})

describe("A Candidate that was verified before the last Task of its Change ended", () => {
  /** The last Task ends without a ChangeSet, after the Candidate of the first one's was gated. */
  const gatedEarly = (
    hands: Hands,
    meanwhile: (changeId: string, candidateId: string) => typeof nothing = () => nothing
  ) =>
    Effect.gen(function* () {
      hands.agents.set("b", [
        ({ change }) =>
          Effect.gen(function* () {
            yield* Policies.change(person, change.projectId, { approvalRiskTiers: ["low", "medium", "high"] })
            const { candidate } = yield* Candidates.request(person, { changeId: change.id })
            yield* turn("candidate.create")
            expect([yield* statusOf(candidate.id), yield* statusOfChange(change.id)]).toEqual(["verified", "running"])
            yield* meanwhile(change.id, candidate.id)
            return { _tag: "Answered" as const, text: "as it should be", usage }
          }).pipe(Effect.orDie)
      ])
      const changeId = yield* worked(hands, [planned("a"), planned("b", ["a"], { kind: "research" })])
      expect(yield* candidatesOf(changeId)).toMatchObject([{ status: "verified" }])
      const types = yield* typesOf(changeId)
      return { changeId, types: types.filter((type) => /^(approval|verification)\./.test(type)) }
    })
  const nothing: ReturnType<Script> = Effect.succeed({ _tag: "Answered", text: "", usage })

  it("takes the Change to the approval that it owes when that Task ends, and the approval was asked for once", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { changeId, types } = yield* gatedEarly(hands)
        expect(yield* statusOfChange(changeId)).toBe("awaiting_approval")
        expect(types).toEqual(["approval.requested", "verification.started"])
        const [candidate] = yield* candidatesOf(changeId)
        yield* Approvals.decide(person, { changeId, candidateId: candidate?.id ?? "", decision: "granted" })
        expect((yield* Promotions.promote(person, candidate?.id ?? "")).outcome).toBe("promoted")
      })
    ))

  it("leaves the Change verifying when the approval was granted before", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { changeId, types } = yield* gatedEarly(hands, (id, candidateId) =>
          Approvals.decide(person, { changeId: id, candidateId, decision: "granted" }).pipe(
            Effect.orDie,
            Effect.andThen(nothing)
          )
        )
        expect(yield* statusOfChange(changeId)).toBe("verifying")
        expect(types).toEqual(["approval.requested", "approval.granted", "verification.started"])
      })
    ))
})
