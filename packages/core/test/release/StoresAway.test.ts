import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { ProbeClient, ProbeUnanswered } from "@pawl/core/release/ProbeClient"
import { answers, page, run, settle } from "../kit/MemoryPawl.ts"
import { claimRelease, isLive, queued, releaseOf, work } from "../kit/ReleaseScenes.ts"
import { play } from "../kit/UpkeepScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** Runs a queued release while no probe is answered. */
const probedBy = (unanswered: { readonly away?: boolean }) =>
  Effect.gen(function* () {
    const scene = yield* queued
    const client: ProbeClient["Service"] = {
      get: ({ path }) => Effect.fail(new ProbeUnanswered({ path, reason: "nobody listens", ...unanswered }))
    }
    yield* work(yield* claimRelease).pipe(Effect.provideService(ProbeClient, client))
    return scene
  })

describe("A release whose probes get no answer", () => {
  it("waits while the stores that its app is served from are away, and goes out when they are back", () =>
    play(
      Effect.gen(function* () {
        const { project, releaseId } = yield* probedBy({ away: true })
        expect(yield* releaseOf(releaseId)).toMatchObject({ status: "building" })
        // As long as work waits at first for what is away.
        yield* TestClock.adjust(2000)
        yield* settle
        expect(yield* releaseOf(releaseId)).toMatchObject({ status: "deployed" })
        yield* isLive(project.id, 1)
      })
    ))

  it("fails where the app itself is silent, and what was before it comes back", () =>
    run(
      Effect.gen(function* () {
        const { project, releaseId } = yield* probedBy({})
        expect(yield* releaseOf(releaseId)).toMatchObject({ status: "smoke_failed" })
        yield* isLive(project.id, 0)
      })
    ))
})
