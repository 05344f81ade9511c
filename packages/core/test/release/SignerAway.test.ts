import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { demand, find } from "@pawl/core/ledger/Decision"
import { statementKey } from "@pawl/core/model/Statement"
import { sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import type { ProvenanceMode as Mode } from "@pawl/core/primitives/Settings"
import * as Policies from "@pawl/core/approval/Policies"
import { ProvenanceMode } from "@pawl/core/provenance/ProvenanceMode"
import { Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import { unsignedReason } from "@pawl/core/release/Authorization"
import { Commands } from "@pawl/core/work/Commands"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import {
  changeOf,
  claimRelease,
  deployed,
  pointerOf,
  promoted,
  releaseOf,
  stopAtProbe,
  work
} from "../kit/ReleaseScenes.ts"
import { play, runOne } from "../kit/UpkeepScenes.ts"

/** What the signer does now: signs, says at once that it is away, or answers nobody. */
let hands: "there" | "away" | "silent" = "there"

const asNow = <A>(real: Effect.Effect<A, SignerUnavailable>): Effect.Effect<A, SignerUnavailable> =>
  Effect.suspend(() =>
    hands === "there" ? real : hands === "away" ? Effect.fail(new SignerUnavailable({ reason: "away" })) : Effect.never
  )

/** The whole core with a signer that can go away, and a mode. */
const withHands = (mode: Mode, program: Parameters<typeof play>[0]) =>
  play(
    Effect.gen(function* () {
      const real = yield* Signer
      const signer: Signer["Service"] = { keys: asNow(real.keys), sign: (use, text) => asNow(real.sign(use, text)) }
      yield* program.pipe(
        Effect.provideService(Signer, signer),
        Effect.provideService(ProvenanceMode, mode),
        Effect.provideService(References.MinimumLogLevel, "None")
      )
    })
  )

beforeEach(() => {
  hands = "there"
  answers.set("/", page(200))
})

/** A live app, of before. */
const begun = Effect.provideService(deployed, ProvenanceMode, "off")

/** What is wrong with a chain: an entry that is missing, that does not follow, or that has no signature. */
const faults = Effect.fnUntraced(function* (projectId: string) {
  const size = (yield* demand("chain", projectId)).record.size
  const found: Array<string> = []
  let previous: string | null = null
  for (let entry = 0; entry < size; entry++) {
    const stored = (yield* find("statement", statementKey(projectId, entry)))?.record
    const said = stored === undefined ? {} : JSON.parse(stored.payload).predicate
    if (said.entry !== entry || (said.previous?.sha256 ?? null) !== previous)
      found.push(`entry ${entry} follows nothing`)
    if (stored?.signature == null) found.push(`entry ${entry} is not signed`)
    previous = stored === undefined ? null : sha256AtOnce(utf8(stored.payload))
  }
  return found
})

describe("While the signer is away for ten minutes", () => {
  it.each<[Mode, "go on" | "wait"]>([
    ["off", "go on"],
    ["warn", "go on"],
    ["enforce", "wait"]
  ])(
    "with %s promotions and Policies go on, releases %s, and all is signed in order after its return",
    (mode, releases) =>
      withHands(
        mode,
        Effect.gen(function* () {
          const { generation: before, project } = yield* begun
          hands = "away"
          let newest = yield* promoted(project, "away-0")
          for (let minute = 1; minute <= 10; minute++) {
            yield* settle
            const pointer = yield* pointerOf(project.id)
            expect(pointer.generation).toBe(releases === "go on" ? newest.generation : before)
            const { reason } = yield* changeOf(newest.changeId)
            expect(reason).toBe(null)
            yield* TestClock.adjust(Limits.signatureWaitMs)
            yield* settle
            if (releases === "wait") expect((yield* changeOf(newest.changeId)).reason).toBe(unsignedReason)
            else expect((yield* releaseOf(newest.releaseId)).status).toBe("deployed")
            if (minute % 3 === 0)
              yield* Policies.change(person, project.id, { approvalRiskTiers: minute % 2 === 0 ? ["high"] : [] })
            newest = yield* promoted(project, `away-${minute}`)
          }
          expect(newest.generation).toBe(before + 11)
          expect((yield* (yield* Commands).deadLetters(project.id)).length).toBe(0)
          expect((yield* faults(project.id)).length).toBeGreaterThan(15)
          hands = "there"
          yield* TestClock.adjust("5 seconds")
          yield* settle
          yield* TestClock.adjust(Limits.signerRetryMs)
          yield* settle
          expect((yield* pointerOf(project.id)).generation).toBe(newest.generation)
          expect((yield* changeOf(newest.changeId)).reason).toBeNull()
          yield* TestClock.adjust(Limits.checkpointEveryMs)
          yield* settle
          expect(yield* faults(project.id)).toEqual([])
          expect((yield* demand("chainLog", project.id)).record).toMatchObject({
            signed: (yield* demand("chain", project.id)).record.size,
            size: (yield* demand("chain", project.id)).record.size
          })
        })
      )
  )

  it.each<Mode>(["warn", "enforce"])(
    "a restore asks it for nothing: a signer that never answers holds none up: %s",
    (mode) =>
      withHands(
        mode,
        Effect.gen(function* () {
          const first = yield* begun
          const good = yield* pointerOf(first.project.id)
          const scene = yield* promoted(first.project, "bad")
          if (mode === "enforce") {
            // What waits for its signature there has it before the pointer moves.
            yield* work(yield* claimRelease)
            while (yield* runOne("statement.sign")) yield* Effect.yieldNow
            yield* TestClock.adjust(Limits.signaturePollMs)
          }
          answers.set("/", page(500))
          const stopped = yield* stopAtProbe(scene)
          hands = "silent"
          yield* stopped.finish
          expect(yield* releaseOf(scene.releaseId)).toMatchObject({ status: "smoke_failed" })
          expect(yield* pointerOf(first.project.id)).toMatchObject({
            status: "live",
            generation: first.generation,
            bundleDigest: good.bundleDigest,
            provenance: good.provenance
          })
        })
      )
  )
})
