import { interleave } from "@pawl/testing/tools/SeededScheduler"
import { Cause, Deferred, Effect, Exit, Fiber, FiberSet, Schedule, Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"

const run = <A, E>(program: Effect.Effect<A, E>) => Effect.runPromise(program)

/** Does `work` as the finalizer of a fiber that is interrupted, and answers how it ended once the interrupter goes on. */
const asFinalizer = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    let ending: Exit.Exit<A, E> | "cut short" = "cut short"
    const finalizer = Effect.map(Effect.exit(work), (exit) => void (ending = exit))
    const fiber = yield* Effect.forkChild(Effect.ensuring(Effect.never, finalizer), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    return ending as Exit.Exit<A, E> | "cut short"
  })

const callback = Effect.callback<string>((resume) => {
  const timer = setTimeout(() => resume(Effect.succeed("waited")), 1)
  return Effect.sync(() => clearTimeout(timer))
})
const sleep = Effect.as(Effect.sleep(1), "waited")

describe("An interruption", () => {
  it.each<readonly [string, Effect.Effect<string, unknown>]>([
    ["a sleep", sleep],
    ["a callback", callback],
    ["a promise", Effect.promise(() => new Promise<string>((resolve) => setTimeout(() => resolve("waited"), 1)))],
    ["a child", Effect.flatMap(Effect.forkChild(sleep), Fiber.join)],
    ["several at once", Effect.map(Effect.all([sleep, callback], { concurrency: "unbounded" }), ([first]) => first)],
    ["a race", Effect.raceFirst(sleep, Effect.never)],
    ["a time-out", Effect.as(Effect.timeoutOption(Effect.interruptible(Effect.never), 1), "waited")],
    ["a stream", Effect.as(Stream.runDrain(Stream.mapEffect(Stream.make(1), () => sleep)), "waited")],
    ["a second try", Effect.catch(Effect.retry(Effect.fail("down"), Schedule.recurs(2)), () => sleep)]
  ])("lets a finalizer wait for %s to its end, and its own end waits for the finalizer", async (_what, work) => {
    expect(await run(asFinalizer(work))).toEqual(Exit.succeed("waited"))
  })

  it("ends at once what a finalizer itself marks as interruptible", async () => {
    const ending = await run(asFinalizer(Effect.interruptible(Effect.never)))
    expect(ending !== "cut short" && Exit.isFailure(ending) && Cause.hasInterruptsOnly(ending.cause)).toBe(true)
  })

  it("reaches nothing within a region where it is not allowed, and whatever follows", () =>
    run(
      Effect.gen(function* () {
        const steps: Array<string> = []
        const step = (name: string) => Effect.sync(() => void steps.push(name))
        const gate = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          Effect.andThen(
            Effect.uninterruptible(Effect.andThen(Deferred.await(gate), step("the region"))),
            step("what follows")
          ),
          { startImmediately: true }
        )
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        expect(interrupting.pollUnsafe()).toBe(undefined)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(interrupting)
        expect(steps).toEqual(["the region"])
      })
    ))

  it("of a parent ends its children first, and waits for what they give back", () =>
    run(
      Effect.gen(function* () {
        const steps: Array<string> = []
        const giving = Effect.ensuring(
          Effect.never,
          Effect.andThen(
            sleep,
            Effect.sync(() => void steps.push("given back"))
          )
        )
        const parent = yield* Effect.forkChild(
          Effect.andThen(Effect.forkChild(giving, { startImmediately: true }), Effect.never),
          { startImmediately: true }
        )
        yield* Fiber.interrupt(parent)
        expect(steps).toEqual(["given back"])
      })
    ))

  it("of a set of fibers waits until each has given its work back, in any order of steps", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const held = new Set<string>()
      const program = Effect.gen(function* () {
        const scope = yield* Scope.make()
        const set = yield* Scope.provide(FiberSet.make<void>(), scope)
        for (const name of ["a", "b", "c"])
          yield* FiberSet.run(
            set,
            Effect.acquireUseRelease(
              Effect.sync(() => held.add(name)),
              () => Effect.never,
              () =>
                Effect.andThen(
                  Effect.yieldNow,
                  Effect.sync(() => void held.delete(name))
                )
            )
          )
        yield* Scope.close(scope, Exit.void)
        return [...held]
      })
      expect(interleave(seed, [program]).exits, `seed ${seed}`).toEqual([Exit.succeed([])])
    }
  })

  it("between taking and using gives back what was taken, in any order of steps", () => {
    const ends = new Set<string>()
    for (let seed = 1; seed <= 500; seed++) {
      let [taken, given] = [0, 0]
      const program = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          Effect.acquireUseRelease(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => void taken++)
            ),
            () => Effect.yieldNow,
            () => Effect.sync(() => void given++)
          )
        )
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      })
      interleave(seed, [program])
      expect(given, `seed ${seed}`).toBe(taken)
      ends.add(`taken ${taken}`)
    }
    expect(ends).toEqual(new Set(["taken 0", "taken 1"]))
  })
})
