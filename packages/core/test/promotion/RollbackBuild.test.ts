import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { requestApp } from "@pawl/core/app/Apps"
import { bundleKey, bundlePrefix } from "@pawl/core/bundle/Bundle"
import { remove } from "@pawl/core/app/Removal"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { why } from "@pawl/core/why/Why"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { ask, candidate, generation, twoLive } from "../kit/RollbackScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const checksOf = (id: string) => Effect.map(candidate(id), ({ plan }) => plan?.checks.map((check) => check.id) ?? [])

const forget = (projectId: string, number: number) =>
  Effect.gen(function* () {
    const { commit } = yield* generation(projectId, number)
    yield* (yield* ObjectStore).remove(bundleKey(bundlePrefix("apps", projectId, commit)))
  })

/** Promotes a rollback to S1, and looks whether it is live and where its bundle came from. */
const goesLive = (projectId: string, candidateId: string) =>
  Effect.gen(function* () {
    const promoted = yield* Promotions.promote(person, candidateId)
    yield* settle
    expect((yield* demand("pointer", `${projectId}/production`)).record).toMatchObject({
      status: "live",
      generation: 3
    })
    const { status, bundleSource } = (yield* demand("release", promoted.releaseId!)).record
    expect(status).toBe("deployed")
    return bundleSource
  })

const removed = (projectId: string) => Effect.andThen(remove(person, projectId), settle)
const deployed = (projectId: string) => Effect.andThen(requestApp(projectId), settle)

describe("A rollback's build", () => {
  it("is planned only when no bundle of the tree is stored, and then what it built is served", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        yield* forget(project.id, 1)
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        expect(yield* checksOf(asked.candidate.id)).toEqual(["tree-equals", "build"])
        expect(yield* goesLive(project.id, asked.candidate.id)).toBe("preview_copy")
      })
    ))

  it("is planned while the app is removed, so that it can go live when the app is deployed again", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        yield* removed(project.id)
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        expect(yield* checksOf(asked.candidate.id)).toEqual(["tree-equals", "build"])
        yield* deployed(project.id)
        yield* goesLive(project.id, asked.candidate.id)
      })
    ))

  it("is planned while a removed app is still being cleaned away, whatever is found of it", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        yield* remove(person, project.id)
        // The first command that runs may be the rollback's: its bundle is still there, and about to go.
        yield* settle
        expect(yield* checksOf(asked.candidate.id)).toEqual(["tree-equals", "build"])
      })
    ))

  it("is never planned where no apps are hosted", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        yield* forget(project.id, 1)
        const asked = yield* ask(project.id, 1, 2)
        yield* settle.pipe(Effect.provideService(Settings, { ...(yield* Settings), appsDomain: null }))
        expect(yield* checksOf(asked.candidate.id)).toEqual(["tree-equals"])
      })
    ))

  it.each(["the rollback", "its Candidate"])(
    "is owed once the bundle is gone: it is not promoted, and asking for %s again plans it anew in place",
    (what) =>
      run(
        Effect.gen(function* () {
          const project = yield* twoLive
          const asked = yield* ask(project.id, 1, 2)
          const { id } = asked.candidate
          yield* settle
          expect(yield* checksOf(id)).toEqual(["tree-equals"])
          yield* removed(project.id)
          yield* deployed(project.id)
          const refused = yield* Effect.flip(Promotions.promote(person, id))
          expect(refused).toMatchObject({ _tag: "Blocked", blocks: [{ code: "check_gap" }] })
          expect(refused.message).toMatch(/build: .*ask for it again/)
          expect((yield* why(id)).next).toMatchObject({
            code: expect.stringMatching(/^(policy_changed|build_owed)$/),
            changeId: asked.change.id
          })
          const again =
            what === "the rollback"
              ? yield* ask(project.id, 1, 2)
              : yield* Candidates.request(person, { changeId: asked.change.id })
          expect(again.candidate).toMatchObject({ id, status: "verifying" })
          yield* settle
          expect(yield* checksOf(id)).toEqual(["tree-equals", "build"])
          yield* goesLive(project.id, id)
        })
      )
  )

  it("never happens at its release when its plan did not have it", () =>
    run(
      Effect.gen(function* () {
        const project = yield* twoLive
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        const promoted = yield* Promotions.promote(person, asked.candidate.id)
        yield* forget(project.id, 1)
        yield* settle
        expect((yield* demand("release", promoted.releaseId!)).record).toMatchObject({ status: "failed" })
        expect((yield* demand("pointer", `${project.id}/production`)).record).toMatchObject({ generation: 2 })
      })
    ))
})
