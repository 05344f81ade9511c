/** Freezes: what is promoted in one and what is not, and that all that waits goes out by itself at the thaw. */
import * as fc from "fast-check"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { frozenBy } from "@pawl/core/approval/Freezes"
import * as Policies from "@pawl/core/approval/Policies"
import * as Audits from "@pawl/core/audit/Audits"
import { demand } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import type { Freeze, PolicyFields } from "@pawl/core/model/Policy"
import * as Time from "@pawl/core/primitives/Time"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { why } from "@pawl/core/why/Why"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, every, joined, newestOf, newProject } from "../kit/Scenes.ts"

const play = (story: Parameters<typeof run>[0]) => run(Effect.provide(story, TestClock.layer()))

const hour = (n: number) => Time.fromMillis(n * 60 * 60 * 1000)
const untilHour = (n: number, fields: Partial<Freeze> = {}): Freeze => ({
  from: hour(0),
  until: hour(n),
  reason: "the fair",
  ...fields
})

const projectWith = (...freezes: ReadonlyArray<Freeze>) => frozenProject({ freezes })
const frozenProject = (policy: Partial<PolicyFields>) =>
  Effect.tap(newProject(), ({ id }) => Policies.change(person, id, policy))

const generation = (projectId: string) => Effect.map(demand("head", projectId), ({ record }) => record.generation)

const thaw = (hours: number) => Effect.andThen(TestClock.adjust(`${hours} hours`), settle)

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

describe("A freeze", () => {
  it("lets checks go on and blocks the swap; why says until when and why, and at the thaw it goes out by itself", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith(untilHour(2))
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect(candidate.status).toBe("verified")
        const block = { code: "frozen", until: hour(2), reason: "the fair" }
        expect(yield* Effect.flip(Promotions.promote(person, candidate.id))).toMatchObject({
          _tag: "Blocked",
          blocks: [block]
        })
        expect(yield* why(candidate.id)).toMatchObject({
          canPromote: false,
          blocks: [block],
          next: { code: "frozen", until: hour(2), reason: "the fair" }
        })
        yield* thaw(1)
        expect(yield* generation(projectId)).toBe(0)
        yield* thaw(1)
        expect((yield* demand("generation", generationKey(projectId, 1))).record).toMatchObject({
          candidateId: candidate.id,
          actor: person,
          trigger: "user"
        })
        yield* settle
        expect((yield* Audits.run(projectId)).findings).toEqual([])
      })
    ))

  it("ends with the promotion of what goes out without a person, too", () =>
    play(
      Effect.gen(function* () {
        const policy = { autoPromoteRiskTiers: every, approvalRiskTiers: [], freezes: [untilHour(2)] }
        const { id: projectId } = yield* frozenProject(policy)
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        expect([candidate.status, yield* generation(projectId)]).toEqual(["verified", 0])
        yield* thaw(2)
        expect((yield* demand("generation", generationKey(projectId, 1))).record.trigger).toBe("auto")
      })
    ))

  it("lets what stands ready in the lane land in turn at the thaw, by itself", () =>
    play(
      Effect.gen(function* () {
        const lane = { mode: "on" as const }
        const policy = { autoPromoteRiskTiers: every, approvalRiskTiers: [], freezes: [untilHour(2)], lane }
        const { id: projectId } = yield* frozenProject(policy)
        const one = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(projectId, "r2", { "b.txt": "b" })
        const ready = yield* newestOf(two.lineage)
        expect([one.status, ready?.status, yield* generation(projectId)]).toEqual(["verified", "verified", 0])
        yield* thaw(2)
        expect(yield* generation(projectId)).toBe(2)
        expect((yield* newestOf(two.lineage))?.id).toBe(ready?.id)
      })
    ))

  it("that is lifted early lets what stands ready in the lane land at once: the same Candidates, and nothing runs again", () =>
    play(
      Effect.gen(function* () {
        const lane = { mode: "on" as const }
        const policy = { autoPromoteRiskTiers: every, approvalRiskTiers: [], lane }
        const { id: projectId } = yield* frozenProject({ ...policy, freezes: [untilHour(2)] })
        const one = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(projectId, "r2", { "b.txt": "b" })
        const ready = yield* newestOf(two.lineage)
        const rows = yield* evidenceOf(one.id)
        yield* Policies.change(person, projectId, policy)
        yield* settle
        expect(yield* generation(projectId)).toBe(2)
        const became = [1, 2].map((n) => demand("generation", generationKey(projectId, n)))
        const ids = (yield* Effect.all(became)).map(({ record }) => record.candidateId)
        expect(ids).toEqual([one.id, ready?.id])
        expect(yield* evidenceOf(one.id)).toEqual(rows)
        expect((yield* Audits.run(projectId)).findings).toEqual([])
      })
    ))

  it("lets a person's second request change nothing, and promotes nothing that nobody asked for", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith(untilHour(2))
        const asked = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        const other = yield* candidateOf(projectId, "r2", { "b.txt": "b" })
        yield* Effect.flip(Promotions.promote(person, asked.id))
        yield* Effect.flip(Promotions.promote(person, asked.id))
        yield* thaw(2)
        expect(yield* generation(projectId)).toBe(1)
        expect((yield* demand("candidate", other.id)).record.status).not.toBe("promoted")
      })
    ))

  it("keeps nothing that is blocked by more than it", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* projectWith(untilHour(2))
        const { changeId, id } = yield* candidateOf(projectId, "r1", { "migrations/2.sql": "two" })
        const refused = yield* Effect.flip(Promotions.promote(person, id))
        expect(refused).toMatchObject({ blocks: [{ code: "approval_missing" }, { code: "frozen" }] })
        yield* thaw(2)
        expect([yield* generation(projectId), (yield* demand("change", changeId)).record.status]).toEqual([
          0,
          "awaiting_approval"
        ])
      })
    ))

  it("lets rollbacks pass, and those whom it excepts", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* newProject()
        const other = yield* joined(projectId, 2)
        yield* Promotions.promote(person, (yield* candidateOf(projectId, "r1", { "a.txt": "a" })).id)
        yield* settle
        yield* Policies.change(person, projectId, {
          freezes: [untilHour(2, { except: [other.id as `usr_${string}`] })]
        })
        const { id } = yield* candidateOf(projectId, "r2", { "b.txt": "b" })
        expect(yield* Effect.flip(Promotions.promote(person, id))).toMatchObject({ blocks: [{ code: "frozen" }] })
        expect((yield* Promotions.promote(other, id)).generation).toBe(2)
        yield* settle
        const back = { projectId, targetGeneration: 0, expectedGeneration: 2 }
        const { candidate } = yield* Rollbacks.request(person, back)
        yield* settle
        expect((yield* Promotions.promote(person, candidate.id)).generation).toBe(3)
      })
    ))

  it("that cannot be is refused, naming freezes", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* newProject()
        const put = (...freezes: ReadonlyArray<Freeze>) => Effect.flip(Policies.change(person, projectId, { freezes }))
        for (const odd of [
          untilHour(0),
          untilHour(2, { reason: " " }),
          untilHour(2, { from: "soon" }),
          untilHour(2, { except: [person.id as `usr_${string}`, person.id as `usr_${string}`] })
        ])
          expect(yield* put(odd)).toMatchObject({ _tag: "InvalidField", field: "freezes" })
        expect(yield* put(...Array.from({ length: 21 }, () => untilHour(2)))).toMatchObject({ field: "freezes" })
      })
    ))
})

describe("The end of a freeze", () => {
  const freezes = fc.array(
    fc.record({
      from: fc.integer({ min: 0, max: 9 }),
      hours: fc.integer({ min: 1, max: 4 }),
      except: fc.boolean()
    }),
    { maxLength: 5, minLength: 1 }
  )

  it("is the first hour at which none binds, for everybody alike but those whom it excepts", () => {
    const everything = fc.property(freezes, fc.integer({ min: 0, max: 12 }), fc.boolean(), (drawn, now, isExcepted) => {
      const binding = drawn.filter(({ except }) => !(except && isExcepted))
      const isFrozen = (at: number) => binding.some(({ from, hours }) => from <= at && at < from + hours)
      const policy = {
        freezes: drawn.map(({ except, from, hours }, index) => ({
          from: hour(from),
          until: hour(from + hours),
          reason: String(index),
          ...(except ? { except: ["usr_00000000-0000-4000-8000-000000000001" as const] } : {})
        }))
      }
      const promoter = isExcepted ? person.id : "usr_other"
      let end = now
      while (isFrozen(end)) end++
      const frozen = frozenBy(policy, { kind: "goal", promoter, now: hour(now) })
      expect(frozen?.until ?? null).toBe(isFrozen(now) ? hour(end) : null)
      expect(frozenBy(policy, { kind: "rollback", promoter, now: hour(now) })).toBe(null)
    })
    fc.assert(everything)
  })
})
