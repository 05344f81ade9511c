/** How a server process is noted while it runs. */
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { Fleet, Outgrown, type ServerProcess } from "@pawl/core/work/Fleet"
import * as Presence from "@pawl/core/work/Presence"
import { onStore, type Stores, time } from "@pawl/testing/tools/StoreFixtures"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

const own: ServerProcess = { id: "host-1", version: "1.0.0", roles: ["worker"], startedAt: time }
const play = (body: Effect.Effect<void, unknown, Stores>) => onStore({ layer: MemoryLedger.layerMemory }, body)
const all = Effect.flatMap(Fleet, (fleet) => fleet.all)
const away = new LedgerUnavailable({ operation: "note a process", reason: "away" })

describe("A server process", () => {
  it("is noted while its scope is open, and not any more when that ends", () =>
    play(
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Presence.enter(own)
            expect(yield* all).toMatchObject([{ id: own.id, seenAt: time }])
          })
        )
        expect(yield* all).toEqual([])
      })
    ))

  it("does not wait for a store that is silent when it ends", () =>
    play(
      Effect.gen(function* () {
        const silent = { ...(yield* Fleet), leave: () => Effect.never }
        const scope = yield* Scope.make()
        yield* Presence.enter(own).pipe(Scope.provide(scope), Effect.provideService(Fleet, silent))
        const ending = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* TestClock.adjust(Limits.processLeaveMs)
        yield* Fiber.join(ending)
      })
    ))

  it("is seen four times a minute, also after a time in which the store was away", () =>
    play(
      Effect.gen(function* () {
        const fleet = yield* Fleet
        let isAway = false
        let notes = 0
        const watched = {
          ...fleet,
          note: (one: ServerProcess) => Effect.suspend(() => (++notes, isAway ? Effect.fail(away) : fleet.note(one)))
        }
        const staying = yield* Effect.forkChild(Effect.provideService(Presence.stay(own), Fleet, watched))
        yield* TestClock.adjust(60_000)
        expect(notes).toBe(4)
        expect(yield* all).toMatchObject([{ seenAt: "2030-01-01T00:01:00.000Z" }])
        isAway = true
        yield* TestClock.adjust(60_000)
        isAway = false
        yield* TestClock.adjust(60_000)
        expect(notes).toBe(12)
        expect(yield* all).toMatchObject([{ seenAt: "2030-01-01T00:03:00.000Z" }])
        yield* Fiber.interrupt(staying)
      })
    ))

  it("goes no further when the store lost what it needs", () =>
    play(
      Effect.gen(function* () {
        const lost = new Outgrown({ contraction: 2, known: 1 })
        const watched = { ...(yield* Fleet), note: () => Effect.fail(lost) }
        const staying = yield* Effect.forkChild(Effect.exit(Effect.provideService(Presence.stay(own), Fleet, watched)))
        yield* TestClock.adjust(Limits.processNoteMs)
        expect(yield* Fiber.join(staying)).toEqual(Exit.fail(lost))
        expect(lost.message).toContain("run that version, or a newer one")
      })
    ))

  it("asks four times a minute until nothing waits for older ones any more, also while the store is away, and then no more", () =>
    play(
      Effect.gen(function* () {
        let asked = 0
        const answers: ReadonlyArray<Fleet["Service"]["contract"]> = [
          Effect.succeed({ done: [], waiting: ["a table"], older: ["host-0"] }),
          Effect.fail(away),
          Effect.succeed({ done: ["a table"], waiting: [], older: [] })
        ]
        const watched = {
          ...(yield* Fleet),
          contract: Effect.suspend(() => answers[asked++] ?? Effect.die("asked again"))
        }
        const outliving = yield* Effect.forkChild(Effect.provideService(Presence.outlive, Fleet, watched))
        yield* TestClock.adjust(Limits.processNoteMs - 1)
        expect(asked).toBe(1)
        yield* TestClock.adjust(1)
        expect(asked).toBe(2)
        yield* TestClock.adjust(Limits.processNoteMs)
        expect(yield* Fiber.join(outliving)).toEqual(["a table"])
      })
    ))
})
