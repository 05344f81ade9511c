import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { inSandbox, SandboxSlots } from "@pawl/core/verification/SandboxSlots"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Limits } from "@pawl/core/primitives/Limits"

const mine = { projectId: "proj_mine", changeId: "chg_mine" }
const theirs = { projectId: "proj_theirs", changeId: "chg_theirs" }
const asked = {
  scope: `sandbox/${mine.changeId}`,
  max: Limits.activeSandboxesPerChange,
  leaseMs: Limits.sandboxLeaseMs
}

const run = <A, E>(slots: FairSlots.FairSlots, program: Effect.Effect<A, E, MemoryLedger.Stores>) =>
  Effect.runPromise(
    program.pipe(
      Effect.provideService(SandboxSlots, slots),
      Effect.provide(MemoryLedger.layerMemory),
      Effect.provide(TestClock.layer())
    )
  )

const takeAll = Effect.flatMap(SharedSlots, (slots) => Effect.replicateEffect(slots.take(asked), asked.max))
const isFree = Effect.flatMap(SharedSlots, (slots) =>
  Effect.map(slots.take({ ...asked, leaseMs: 1 }), (slot) => slot !== null)
)

describe("A check that waits for a sandbox", () => {
  it("gives its command back after 10 seconds when none of the command's checks runs, and leaves the queue", () => {
    const slots = FairSlots.make(1)
    return run(
      slots,
      Effect.gen(function* () {
        yield* Effect.forkChild(inSandbox(theirs, { count: 0 }, Effect.never))
        const waits = yield* Effect.forkChild(inSandbox(mine, { count: 0 }, Effect.void))
        yield* TestClock.adjust(Limits.sandboxWaitMs - 1)
        expect([slots.waiting(), waits.pollUnsafe()]).toEqual([1, undefined])
        yield* TestClock.adjust(1)
        expect(yield* Effect.flip(Fiber.join(waits))).toMatchObject({ _tag: "Waiting" })
        expect(slots.waiting()).toBe(0)
      })
    )
  })

  it("keeps its turn as long as another check of its command runs", () => {
    const slots = FairSlots.make(1)
    return run(
      slots,
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(inSandbox(theirs, { count: 0 }, Effect.never))
        const waits = yield* Effect.forkChild(inSandbox(mine, { count: 1 }, Effect.succeed("ran")))
        yield* TestClock.adjust(Limits.sandboxWaitMs * 10)
        yield* Fiber.interrupt(first)
        expect(yield* Fiber.join(waits)).toBe("ran")
      })
    )
  })

  it("comes before the next check of a Project that holds more, though that one came first", () => {
    const slots = FairSlots.make(2)
    return run(
      slots,
      Effect.gen(function* () {
        const order: Array<string> = []
        const check = (of: typeof mine, name: string) =>
          Effect.gen(function* () {
            const end = yield* Deferred.make<void>()
            const work = Effect.andThen(
              Effect.sync(() => order.push(name)),
              Deferred.await(end)
            )
            yield* Effect.forkChild(inSandbox(of, { count: 1 }, work))
            yield* TestClock.adjust(1)
            return { end }
          })
        const first = yield* check(theirs, "theirs 1")
        for (const name of ["theirs 2", "theirs 3"]) yield* check(theirs, name)
        yield* check(mine, "mine")
        yield* Deferred.succeed(first.end, undefined)
        yield* TestClock.adjust(1)
        expect(order).toEqual(["theirs 1", "theirs 2", "mine"])
      })
    )
  })

  it("holds no slot of the process while its Change has all its 4 in use", () => {
    const slots = FairSlots.make(1)
    return run(
      slots,
      Effect.gen(function* () {
        yield* takeAll
        const waits = yield* Effect.forkChild(inSandbox(mine, { count: 0 }, Effect.void))
        yield* TestClock.adjust(Limits.sandboxLookMs)
        expect([slots.held(), slots.waiting()]).toEqual([0, 0])
        yield* TestClock.adjust(Limits.sandboxWaitMs)
        expect(yield* Effect.flip(Fiber.join(waits))).toMatchObject({ _tag: "Waiting" })
      })
    )
  })

  it("gets the place of a process that died, and keeps its own for as long as it works", () =>
    run(
      FairSlots.make(1),
      Effect.gen(function* () {
        yield* takeAll
        const end = yield* Deferred.make<void>()
        const works = yield* Effect.forkChild(inSandbox(mine, { count: 1 }, Deferred.await(end)))
        yield* TestClock.adjust(Limits.sandboxLeaseMs + Limits.sandboxLookMs)
        yield* takeAll
        yield* TestClock.adjust(Limits.sandboxLeaseMs - 1)
        expect(yield* isFree).toBe(false)
        yield* Deferred.succeed(end, undefined)
        expect(Exit.isSuccess(yield* Fiber.await(works))).toBe(true)
        expect(yield* isFree).toBe(true)
      })
    ))
})
