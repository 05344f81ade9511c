import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import { Limits } from "@pawl/core/primitives/Limits"
import { afterCopy, CopyHoldLost, CopyUnderWay, held } from "@pawl/core/work/CopyHold"
import { failure, onStore, type Stores } from "@pawl/testing/tools/StoreFixtures"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

const play = (body: Effect.Effect<void, unknown, Stores>) => onStore({ layer: MemoryLedger.layerMemory }, body)

const waits = { _tag: "Waiting", delayMs: Limits.copyLookMs }

describe("While a copy is made", () => {
  it("what deletes waits, however long that takes, and goes on when it has ended", () =>
    play(
      Effect.gen(function* () {
        const ends = yield* Deferred.make<string>()
        expect(yield* afterCopy(Effect.succeed("deleted"))).toBe("deleted")
        const copy = yield* Effect.forkChild(held(Deferred.await(ends)))
        for (let minutes = 0; minutes < 30; minutes++) {
          yield* TestClock.adjust(60_000)
          expect(yield* failure(afterCopy(Effect.die("deleted")))).toMatchObject(waits)
        }
        yield* Deferred.succeed(ends, "made")
        expect(yield* Fiber.join(copy)).toBe("made")
        expect(yield* afterCopy(Effect.succeed("deleted"))).toBe("deleted")
      })
    ))

  it("no other is made; after one that failed the next may be at once", () =>
    play(
      Effect.gen(function* () {
        const ends = yield* Deferred.make<never, string>()
        const copy = yield* Effect.forkChild(Effect.exit(held(Deferred.await(ends))))
        yield* TestClock.adjust(1)
        expect(yield* failure(held(Effect.die("made")))).toBeInstanceOf(CopyUnderWay)
        yield* Deferred.fail(ends, "the disk is full")
        expect(yield* Fiber.join(copy)).toEqual(Exit.fail("the disk is full"))
        expect(yield* held(Effect.succeed("made"))).toBe("made")
      })
    ))

  it("one whose hold ran out is not taken for made", () =>
    play(
      Effect.gen(function* () {
        const slots = yield* SharedSlots
        expect(yield* failure(held(slots.giveAllBack))).toBeInstanceOf(CopyHoldLost)
        const copy = yield* Effect.forkChild(Effect.exit(held(Effect.never)))
        yield* TestClock.adjust(1)
        yield* slots.giveAllBack
        yield* TestClock.adjust(Limits.copyRenewMs)
        expect(yield* Fiber.join(copy)).toEqual(Exit.fail(new CopyHoldLost()))
      })
    ))
})
