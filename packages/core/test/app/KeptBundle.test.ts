import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { requestApp } from "@pawl/core/app/Apps"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { persons } from "../change/ChangeScenes.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import { pointerOf, releaseOf } from "../kit/ReleaseScenes.ts"
import { inWorld, newProject, settleAll } from "../kit/WorkWorld.ts"

/** S0 with its app, and one Change live as S1. */
const twoServed = Effect.gen(function* () {
  const project = yield* newProject
  const { candidateId } = yield* persons(project.id)
  const first = yield* pointerOf(project.id)
  yield* Promotions.promote(person, candidateId)
  yield* settleAll
  return { projectId: project.id, first }
})

/** The stored bundle is another one, and its version row still has the digest of what was served. */
const alter = (key: string | null) =>
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const text = new TextDecoder().decode(yield* objects.get(key ?? ""))
    const altered = text.replace(/"compatibilityDate":"[^"]*"/, '"compatibilityDate":"1999-01-01"')
    expect(altered).not.toBe(text)
    yield* objects.put(key ?? "", new TextEncoder().encode(altered))
  })

const serves = (projectId: string) =>
  Effect.gen(function* () {
    const { bundleKey, generation } = yield* pointerOf(projectId)
    const bytes = yield* Effect.flatMap(ObjectStore, (objects) => objects.get(bundleKey ?? ""))
    return { generation, altered: new TextDecoder().decode(bytes).includes("1999-01-01") }
  })

const back = (projectId: string) =>
  Effect.gen(function* () {
    const { candidate } = yield* Rollbacks.request(person, { projectId, targetGeneration: 0, expectedGeneration: 1 })
    yield* settle
    return (yield* demand("candidate", candidate.id)).record
  })

describe("A stored bundle that is not the one that was served", () => {
  it("counts as missing when a rollback is planned: the rollback is built, and serves what it built", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { projectId, first } = yield* twoServed
        yield* alter(first.bundleKey)
        const candidate = yield* back(projectId)
        expect(candidate.plan?.checks.map((check) => check.id)).toEqual(["tree-equals", "build"])
        yield* Promotions.promote(person, candidate.id)
        yield* settleAll
        expect(yield* serves(projectId)).toEqual({ generation: 2, altered: false })
      })
    ))

  it("is not served by a deploy of the same generation: it is built again, to the digest that was verified", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { projectId } = yield* twoServed
        const live = yield* pointerOf(projectId)
        yield* alter(live.bundleKey)
        yield* requestApp(projectId)
        yield* settleAll
        expect(yield* serves(projectId)).toEqual({ generation: 1, altered: false })
        expect((yield* pointerOf(projectId)).bundleDigest).toBe(live.bundleDigest)
      })
    ))

  it("is not served by a rollback that was promoted while it was whole: the release fails", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { projectId, first } = yield* twoServed
        const candidate = yield* back(projectId)
        expect(candidate.plan?.checks.map((check) => check.id)).toEqual(["tree-equals"])
        const { releaseId } = yield* Promotions.promote(person, candidate.id)
        yield* alter(first.bundleKey)
        yield* settleAll
        expect(yield* releaseOf(releaseId)).toMatchObject({ status: "failed", bundleSource: null })
        expect(yield* serves(projectId)).toEqual({ generation: 1, altered: false })
      })
    ))

  it("is not believed at the rollback's own commit either, where nobody served it yet", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { projectId, first } = yield* twoServed
        const candidate = yield* back(projectId)
        const objects = yield* ObjectStore
        const own = (first.bundleKey ?? "").replace(first.commit ?? "", candidate.commit ?? "")
        yield* objects.copy(first.bundleKey ?? "", own)
        yield* alter(own)
        const { releaseId } = yield* Promotions.promote(person, candidate.id)
        yield* settleAll
        expect(yield* releaseOf(releaseId)).toMatchObject({ status: "deployed", bundleSource: "same_tree" })
        expect(yield* serves(projectId)).toEqual({ generation: 2, altered: false })
      })
    ))
})
