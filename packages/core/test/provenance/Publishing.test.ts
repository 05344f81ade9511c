import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as MemoryPublisher from "@pawl/adapters-memory/MemoryPublisher"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import { checkpointOf, envelopesFrom, statementOf } from "@pawl/core/provenance/StatedHistory"
import { publish } from "@pawl/core/provenance/Publishing"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import { begin, chain, hands, log, run, type Services, settled, state } from "./SigningWorld.ts"

const inWorld = <A, E>(body: (kept: MemoryPublisher.PublishedInMemory) => Effect.Effect<A, E, Services>) => {
  const kept: MemoryPublisher.PublishedInMemory = { publications: [], away: false }
  return run(Effect.provide(body(kept), MemoryPublisher.layerMemory(kept)))
}

/** Does what is due of publishing. */
const published = Effect.gen(function* () {
  const kinds = ["checkpoint.publish"] as const
  const asked = { worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs }
  const claimed = yield* (yield* Commands).claim(asked)
  yield* Effect.forEach(claimed, (leased) => execute(leased, { "checkpoint.publish": () => publish(chain, "memory") }))
  return claimed.length
})

describe("A checkpoint is published", () => {
  it("with the statements that it covers and the keys, each once", () =>
    inWorld((kept) =>
      Effect.gen(function* () {
        yield* begin()
        yield* state(3)
        yield* settled
        yield* published
        yield* state(2)
        yield* TestClock.adjust("10 seconds")
        yield* settled
        yield* published
        expect(kept.publications.map(({ envelopes, from, mark }) => [from, envelopes.length, mark])).toEqual([
          [0, 3, null],
          [3, 2, "1"]
        ])
        expect(kept.publications.map(({ checkpoint }) => checkpoint)).toEqual([
          expect.stringContaining("\n3\n"),
          (yield* log()).checkpoint
        ])
        expect(kept.publications.at(-1)?.keys).toHaveLength(2)
        expect((yield* log()).published).toEqual([{ publisher: "memory", size: 5, mark: "2" }])
      })
    ))

  it("in batches, the checkpoint with the last", () =>
    inWorld((kept) =>
      Effect.gen(function* () {
        yield* begin()
        for (let turn = 0; turn < 6; turn++) yield* state(100)
        yield* settled
        yield* published
        expect(kept.publications.map(({ checkpoint, envelopes }) => [envelopes.length, checkpoint === null])).toEqual([
          [500, true],
          [100, false]
        ])
      })
    ))

  it("later, where the publisher is away: signing goes on meanwhile", () =>
    inWorld((kept) =>
      Effect.gen(function* () {
        yield* begin()
        kept.away = true
        for (let turn = 0; turn < 20; turn++) {
          yield* state(1)
          yield* settled
          yield* published
          yield* TestClock.adjust("30 seconds")
          yield* settled
        }
        expect(yield* log()).toMatchObject({ signed: 20, size: 20, published: [] })
        expect((yield* (yield* Commands).deadLetters(chain)).length).toBe(0)
        kept.away = false
        yield* TestClock.adjust("6 minutes")
        yield* published
        expect(kept.publications.map(({ envelopes }) => envelopes.length)).toEqual([20])
      })
    ))
})

describe("What anybody may have of a chain", () => {
  it("is what is signed, in order, and a note of how far", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        expect((yield* Effect.flip(checkpointOf(chain))).message).toContain("has no checkpoint yet")
        yield* state(3)
        yield* settled
        hands.away = true
        yield* state(1)
        yield* settled
        const entries = (yield* envelopesFrom(chain, 1)).map(({ payload }) =>
          JSON.parse(Buffer.from(payload, "base64").toString())
        )
        expect(entries.map(({ predicate }) => predicate.entry)).toEqual([1, 2])
        expect(yield* checkpointOf(chain)).toBe((yield* demand("chainLog", chain)).record.checkpoint)
        expect(yield* Effect.flip(statementOf(chain, 4))).toMatchObject({ _tag: "Unknown" })
      })
    ))
})
