import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { giveUp } from "@pawl/core/candidate/Abandonment"
import { why } from "@pawl/core/why/Why"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Settings } from "@pawl/core/primitives/Settings"
import { bundleKey, bundlePrefix } from "@pawl/core/bundle/Bundle"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Repositories } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { ask, candidate, change, eventsOf, generation, live, twoLive } from "../kit/RollbackScenes.ts"
import { candidateOf, every } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

type Asked = Effect.Success<ReturnType<typeof ask>>

const asked = Effect.gen(function* () {
  const project = yield* twoLive
  return { project, rollback: yield* ask(project.id, 1, 2) }
})

/** The Change is cancelled, says why and what to do, and so does its Candidate; and the rollback can be asked for anew. */
const isOver = ({ candidate: made, change: opened }: Asked, because: RegExp) =>
  Effect.gen(function* () {
    const { projectId } = opened
    const ended = yield* change(opened.id)
    expect(ended).toMatchObject({ status: "cancelled", statusBeforePromoting: null })
    expect(ended.promotingCandidateId ?? null).toBeNull()
    expect(ended.reason).toMatch(because)
    expect(ended.reason).toMatch(/: ask for the rollback anew$/)
    expect((yield* eventsOf(projectId, made.id, opened.id)).at(-1)).toBe("change.cancelled")
    expect((yield* why(made.id)).next).toMatchObject({ code: "rollback_anew", projectId })
    const { generation: head } = (yield* demand("head", projectId)).record
    expect((yield* ask(projectId, 0, head)).change.status).toBe("verifying")
  })

/** Runs something right before the first swap that the program commits. */
const beforeSwap = <A, E, R, B, F, S>(first: Effect.Effect<B, F, S>, program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const context = yield* Effect.context<S>()
    let waiting = true
    return yield* program.pipe(
      Effect.provideService(Ledger, {
        commit: (commit) => {
          const before = waiting && commit.name === "Promotions.swap"
          if (before) waiting = false
          return Effect.andThen(
            before ? Effect.orDie(Effect.provide(first, context)) : Effect.void,
            ledger.commit(commit)
          )
        }
      })
    )
  })

describe("A rollback's Change ends with its Candidate", () => {
  it("when canonical moves on, and says so to who promotes it or asks for another Candidate", () =>
    run(
      Effect.gen(function* () {
        const { project, rollback } = yield* asked
        yield* settle
        yield* live(project.id, "three", { "c.txt": "three" })
        const stale = yield* Effect.flip(Promotions.promote(person, rollback.candidate.id))
        expect(stale).toMatchObject({ _tag: "Stale", rollback: true })
        expect(stale.message).toMatch(/ask for the rollback anew/)
        const again = yield* Effect.flip(Candidates.request(person, { changeId: rollback.change.id }))
        expect(again._tag).toBe("ChangeClosed")
        const candidates = yield* (yield* Records).list("candidate", { where: { changeId: rollback.change.id } })
        expect(candidates.items.map(({ record }) => record.status)).toEqual(["stale"])
        yield* isOver(rollback, /^canonical is at S3, this Candidate was made on S2/)
      })
    ))

  it.each([
    ["", []],
    [", also when it was approved", every]
  ] as const)("when another promotion comes first while it is promoted%s", (_, tiers) =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        yield* Policies.change(person, project.id, { approvalRiskTiers: tiers })
        const rival = yield* candidateOf(project.id, "rival", { "c.txt": "rival" })
        const rollback = yield* ask(project.id, 1, 2)
        yield* settle
        for (const { changeId, id } of tiers.length === 0 ? [] : [rival, rollback.candidate])
          yield* Approvals.decide(person, { changeId, candidateId: id, decision: "granted" })
        const promoting = Effect.flip(Promotions.promote(person, rollback.candidate.id))
        const refused = yield* beforeSwap(Promotions.promote(person, rival.id), promoting)
        expect(refused._tag).toBe("Stale")
        expect((yield* candidate(rollback.candidate.id)).status).toBe("stale")
        yield* isOver(rollback, /^canonical is at S3/)
      })
    )
  )

  it("when a person rejects it", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        yield* Policies.change(person, project.id, { approvalRiskTiers: every })
        const rollback = yield* ask(project.id, 1, 2)
        yield* settle
        expect((yield* change(rollback.change.id)).status).toBe("awaiting_approval")
        const decision = {
          changeId: rollback.change.id,
          candidateId: rollback.candidate.id,
          decision: "rejected"
        } as const
        yield* Approvals.decide(person, decision)
        expect((yield* candidate(rollback.candidate.id)).status).toBe("rejected")
        yield* isOver(rollback, /^rejected by usr_/)
      })
    ))

  it("when its check fails", () =>
    run(
      Effect.gen(function* () {
        const { project, rollback } = yield* asked
        const repositories = yield* Repositories
        const { tree } = yield* generation(project.id, 2)
        const resolve: typeof repositories.resolve = (ref, commit) =>
          Effect.map(repositories.resolve(ref, commit), (found) => ({ ...found, tree }))
        yield* settle.pipe(Effect.provideService(Repositories, { ...repositories, resolve }))
        expect((yield* candidate(rollback.candidate.id)).status).toBe("rejected")
        yield* isOver(rollback, /^tree-equals: fail/)
      })
    ))

  it("when its build finds no builds left, with the advice to wait for the next day", () =>
    run(
      Effect.gen(function* () {
        const { project, rollback } = yield* asked
        const { commit } = yield* generation(project.id, 1)
        yield* (yield* ObjectStore).remove(bundleKey(bundlePrefix("apps", project.id, commit)))
        yield* settle.pipe(Effect.provideService(Settings, { ...(yield* Settings), buildsPerDay: 0 }))
        expect((yield* why(rollback.candidate.id)).next).toMatchObject({
          code: "rollback_anew",
          buildsUsedUp: true
        })
        yield* isOver(rollback, /^build: gap/)
      })
    ))

  it("when it cannot be composed", () =>
    run(
      Effect.gen(function* () {
        const { project, rollback } = yield* asked
        const own = yield* demand("changeSet", rollback.candidate.changeSets[0]!)
        const { commit: baseCommit } = yield* generation(project.id, 1)
        const writes = [Commit.update("changeSet", own, { baseCommit })]
        yield* (yield* Ledger).commit({ name: "test", projectId: project.id, writes })
        yield* settle
        expect((yield* candidate(rollback.candidate.id)).status).toBe("rejected")
        yield* isOver(rollback, /^it was asked on S2, and canonical moved on/)
      })
    ))

  it("when a person gives its verification up", () =>
    run(
      Effect.gen(function* () {
        const { rollback } = yield* asked
        yield* giveUp(person, rollback.candidate.id)
        yield* isOver(rollback, /^its verification was given up/)
      })
    ))
})

describe("A rollback", () => {
  it("takes no ChangeSets, and is verified and promoted all the same", () =>
    run(
      Effect.gen(function* () {
        const { project, rollback } = yield* asked
        const { id: changeId } = rollback.change
        const edit = { changeId, message: "more", files: { "more.txt": "x" } }
        expect(yield* Effect.flip(ChangeSets.record(person, edit))).toMatchObject({
          _tag: "RollbackTakesNoChangeSets",
          changeId
        })
        yield* settle
        const { tree } = yield* Promotions.promote(person, rollback.candidate.id)
        expect(tree).toBe((yield* generation(project.id, 1)).tree)
      })
    ))
})
