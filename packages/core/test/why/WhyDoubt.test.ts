import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { Base64 } from "effect/encoding"
import { describe, expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Pointer } from "@pawl/core/model/Pointer"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { why } from "@pawl/core/why/Why"
import { answers, page, settle } from "../kit/MemoryPawl.ts"
import { looking } from "../kit/Looking.ts"
import { claimRelease, deployed, pointerOf, promoted, work } from "../kit/ReleaseScenes.ts"
import { play } from "../kit/UpkeepScenes.ts"

/** Somebody who may write to the store does. */
const moved = (projectId: string, fields: Partial<Pointer>) =>
  Effect.gen(function* () {
    const pointer = yield* demand("pointer", `${projectId}/production`)
    const writes = [Commit.update("pointer", pointer, fields)]
    yield* (yield* Ledger).commit({ name: "theft", projectId: projectId as ProjectId, writes })
  })

const served = (pointer: Pointer) => {
  const { bundleDigest, bundleKey, commit, generation, provenance = null } = pointer
  return { bundleDigest, bundleKey, commit, generation, provenance }
}

const told = (mode: "off" | "warn" | "enforce", candidateId: string) => looking(mode, why(candidateId))

describe("Why nobody vouches for what was promoted", () => {
  it("is nothing while all is signed and served, in each mode", () =>
    play(
      Effect.gen(function* () {
        const { candidate, generation } = yield* deployed
        for (const mode of ["off", "warn", "enforce"] as const)
          expect(yield* told(mode, candidate.id)).toMatchObject({
            doubt: null,
            next: { code: "promoted", generation, release: "deployed" }
          })
      })
    ))

  it("names what routers find of the row that is served, for what stands there and for what should", () =>
    play(
      Effect.gen(function* () {
        const first = yield* deployed
        const good = served(yield* pointerOf(first.project.id))
        const second = yield* promoted(first.project, "r2")
        yield* settle
        // The second's statement names the first to go back to: a failure would.
        yield* moved(first.project.id, good)
        expect((yield* told("enforce", first.candidate.id)).doubt).toBeNull()
        const third = yield* promoted(first.project, "r3")
        yield* settle
        yield* moved(first.project.id, good)
        const doubt = { of: "router", problem: "release_superseded", serves: first.generation, holdsBack: true }
        for (const { candidate, generation } of [first, third])
          expect(yield* told("enforce", candidate.id)).toMatchObject({
            doubt,
            next: { code: "doubted", generation, doubt }
          })
        expect((yield* told("warn", third.candidate.id)).doubt).toEqual({ ...doubt, holdsBack: false })
        expect((yield* told("off", third.candidate.id)).doubt).toBeNull()
        // What was replaced long ago has nothing to do with it.
        expect((yield* told("enforce", second.candidate.id)).doubt).toBeNull()
        yield* moved(first.project.id, { bundleDigest: "e".repeat(64) })
        expect((yield* told("warn", third.candidate.id)).doubt).toMatchObject({ problem: "live_mismatch" })
      })
    ))

  it("is nothing for what a failed release went back to", () =>
    play(
      Effect.gen(function* () {
        const { candidate, project } = yield* deployed
        answers.set("/", page(500))
        const bad = yield* promoted(project, "bad")
        yield* settle
        yield* TestClock.adjust("1 minute")
        yield* settle
        expect((yield* pointerOf(project.id)).generation).toBe(1)
        expect((yield* told("enforce", candidate.id)).doubt).toBeNull()
        expect((yield* told("enforce", bad.candidate.id)).next).toMatchObject({ code: "release_failed" })
      })
    ))

  it("names a signature that is late for a minute, and what waits for it", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* deployed
        const { candidate, generation } = yield* promoted(project, "late")
        yield* looking("enforce", Effect.andThen(claimRelease, work))
        expect((yield* told("enforce", candidate.id)).next).toMatchObject({ code: "promoted", release: "building" })
        const since = (yield* demand("candidate", candidate.id)).record.updatedAt
        yield* TestClock.adjust(Limits.signatureWaitMs)
        const doubt = { of: "signer", problem: "unsigned", since, holdsBack: true }
        expect(yield* told("enforce", candidate.id)).toMatchObject({
          doubt,
          next: { code: "doubted", generation, projectId: project.id, doubt }
        })
        expect((yield* told("warn", candidate.id)).doubt).toEqual({ ...doubt, holdsBack: false })
        yield* settle
        expect((yield* told("warn", candidate.id)).doubt).toBeNull()
      })
    ))

  it("names a chain that the signer refuses at once, by its code", () =>
    play(
      Effect.gen(function* () {
        const { candidate: before, project } = yield* deployed
        const head = { size: 99, root: Base64.encode(new Uint8Array(32)) }
        yield* (yield* SignedHeads).set(`localhost/log/${project.id}`, head)
        const { candidate, generation } = yield* promoted(project, "behind")
        yield* Effect.provideService(settle, References.MinimumLogLevel, "None")
        expect(yield* told("warn", candidate.id)).toMatchObject({
          doubt: { of: "signer", problem: "log_behind", holdsBack: false },
          next: { code: "doubted", generation }
        })
        // What was signed before is.
        expect((yield* told("warn", before.id)).doubt).toBeNull()
      })
    ))
})
