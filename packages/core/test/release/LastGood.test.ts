import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { deploy } from "@pawl/core/app/Apps"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { execute } from "@pawl/core/work/Processes"
import { Limits } from "@pawl/core/primitives/Limits"
import { answers, page, run, settle } from "../kit/MemoryPawl.ts"
import {
  claimRelease,
  deployed,
  isLive,
  pointerOf,
  promoted,
  queued,
  releaseOf,
  stopAtProbe,
  work
} from "../kit/ReleaseScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** Deploys the head again, outside of any release. */
const deployedAgain = (projectId: string) =>
  Effect.gen(function* () {
    yield* deploy(projectId)
    const claimed = yield* (yield* Commands).claim({
      worker: "deploy",
      kinds: ["app.provision"],
      limit: 1,
      leaseMs: Limits.commandLeaseMs
    })
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers))
  })

/** The pointer serves nothing and never has: the Project's first release was withdrawn. */
const withdrawn = (projectId: string) =>
  Effect.gen(function* () {
    const pointer = yield* demand("pointer", `${projectId}/production`)
    const nothing = { commit: null, generation: null, bundleKey: null, bundleDigest: null, lastGood: null }
    const writes = [Commit.update("pointer", pointer, { ...nothing, status: "build_failed" as const })]
    yield* (yield* Ledger).commit({ name: "test", projectId, writes })
  })

describe("What a failed release goes back to", () => {
  it("is never its own generation, when the head was deployed again just before it moved the pointer", () =>
    run(
      Effect.gen(function* () {
        const scene = yield* queued
        yield* deployedAgain(scene.project.id)
        expect(yield* pointerOf(scene.project.id)).toMatchObject({ generation: 1, lastGood: { generation: 0 } })
        answers.set("/", page(500))
        yield* work(yield* claimRelease)
        expect(yield* releaseOf(scene.releaseId)).toMatchObject({ status: "smoke_failed", replacedGeneration: 0 })
        yield* isLive(scene.project.id, 0)
      })
    ))

  it("is what last passed, not a release before it that was superseded before it was probed", () =>
    run(
      Effect.gen(function* () {
        const first = yield* deployed
        const unproved = yield* Effect.flatMap(promoted(first.project, "r2"), stopAtProbe)
        const bad = yield* promoted(first.project, "r3")
        answers.set("/", page(500))
        yield* settle
        expect((yield* releaseOf(unproved.releaseId)).status).toBe("superseded")
        expect(yield* releaseOf(bad.releaseId)).toMatchObject({ status: "smoke_failed", replacedGeneration: 1 })
        yield* isLive(first.project.id, 1)
        yield* unproved.finish
        yield* isLive(first.project.id, 1)
      })
    ))

  it("is the head that was deployed again and answered well, after its own release had failed", () =>
    run(
      Effect.gen(function* () {
        const scene = yield* queued
        answers.set("/", page(500))
        yield* settle
        answers.set("/", page(200))
        yield* deployedAgain(scene.project.id)
        yield* isLive(scene.project.id, 1)
        const bad = yield* promoted(scene.project, "r2").pipe(
          Effect.tap(() => Effect.sync(() => answers.set("/", page(500))))
        )
        yield* settle
        expect((yield* releaseOf(bad.releaseId)).status).toBe("smoke_failed")
        yield* isLive(scene.project.id, 1)
      })
    ))

  it("is nothing when nothing ever passed, and the next good release goes live all the same", () =>
    run(
      Effect.gen(function* () {
        const scene = yield* queued
        yield* withdrawn(scene.project.id)
        answers.set("/", page(500))
        yield* settle
        expect(yield* pointerOf(scene.project.id)).toMatchObject({ status: "build_failed", generation: null })
        answers.set("/", page(200))
        const good = yield* promoted(scene.project, "r2")
        yield* settle
        expect((yield* releaseOf(good.releaseId)).status).toBe("deployed")
        yield* isLive(scene.project.id, good.generation)
      })
    ))
})
