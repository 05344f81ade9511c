import { Cause, Context, Effect, Exit, Fiber, Layer, ManagedRuntime, Scope } from "effect"
import { describe, expect, it } from "vitest"

const run = <A, E>(program: Effect.Effect<A, E>) => Effect.runPromise(program)

class Store extends Context.Service<Store, string>()("test/Store") {}
class Worker extends Context.Service<Worker, string>()("test/Worker") {}
class Listener extends Context.Service<Listener, string>()("test/Listener") {}

/** A store, a worker on it, and a listener on both; each notes when it is opened and closed. */
const world = () => {
  const steps: Array<string> = []
  const note = (step: string) => Effect.sync(() => void steps.push(step))
  const open = (name: string) =>
    Effect.acquireRelease(Effect.as(note(`open ${name}`), name), () =>
      Effect.andThen(Effect.yieldNow, note(`close ${name}`))
    )
  const store = Layer.effect(Store, open("store"))
  const worker = Layer.effect(Worker, Effect.andThen(Store, open("worker")))
  const listener = Layer.effect(Listener, Effect.andThen(Effect.all([Store, Worker]), open("listener")))
  const all = listener.pipe(Layer.provideMerge(worker), Layer.provideMerge(store))
  return { all, note, open, steps }
}

const inOrder = ["open store", "open worker", "open listener"]
const inReverse = ["close listener", "close worker", "close store"]

describe("A shutdown", () => {
  it("closes in the reverse of the order of opening, one after the other", () =>
    run(
      Effect.gen(function* () {
        const { open, steps } = world()
        yield* Effect.scoped(Effect.forEach(["store", "worker", "listener"], open))
        expect(steps).toEqual([...inOrder, ...inReverse])
      })
    ))

  it("closes layers in the reverse of the order in which they need each other, and each once", () =>
    run(
      Effect.gen(function* () {
        const { all, note, steps } = world()
        yield* Effect.provide(Effect.andThen(Effect.all([Store, Worker, Listener]), note("work")), all)
        expect(steps).toEqual([...inOrder, "work", ...inReverse])
      })
    ))

  it("does so after a failure, a defect and an interruption too", () =>
    run(
      Effect.gen(function* () {
        for (const work of [Effect.fail("failed"), Effect.die("died"), Effect.interrupt]) {
          const { all, steps } = world()
          yield* Effect.exit(Effect.provide(work, all))
          expect(steps).toEqual([...inOrder, ...inReverse])
        }
        const { all, steps } = world()
        const fiber = yield* Effect.forkChild(Effect.provide(Effect.never, all))
        yield* Effect.repeat(Effect.yieldNow, { times: 20 })
        expect(steps).toEqual(inOrder)
        yield* Fiber.interrupt(fiber)
        expect(steps).toEqual([...inOrder, ...inReverse])
      })
    ))

  it("closes what was opened when something after it cannot be opened", () =>
    run(
      Effect.gen(function* () {
        const { open, steps } = world()
        const broken = Layer.effect(Worker, Effect.andThen(Store, Effect.fail("no port")))
        const built = Layer.build(Layer.provideMerge(broken, Layer.effect(Store, open("store"))))
        expect(yield* Effect.flip(Effect.scoped(built))).toBe("no port")
        expect(steps).toEqual(["open store", "close store"])
      })
    ))

  it("goes on when one cannot be closed, and tells of it at the end", () =>
    run(
      Effect.gen(function* () {
        const { open, steps } = world()
        const scope = yield* Scope.make()
        yield* Scope.provide(open("store"), scope)
        yield* Scope.addFinalizer(scope, Effect.die("stuck"))
        yield* Scope.provide(open("listener"), scope)
        const exit = yield* Effect.exit(Scope.close(scope, Exit.void))
        expect(steps).toEqual(["open store", "open listener", "close listener", "close store"])
        expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe("stuck")
      })
    ))

  it("ends background work before it closes what that work was given", () =>
    run(
      Effect.gen(function* () {
        const { note, open, steps } = world()
        const background = Effect.forkScoped(Effect.ensuring(Effect.never, note("work ended")), {
          startImmediately: true
        })
        yield* Effect.scoped(Effect.andThen(open("store"), background))
        expect(steps).toEqual(["open store", "work ended", "close store"])
      })
    ))

  it("of a runtime waits until all is closed", async () => {
    const { all, steps } = world()
    const runtime = ManagedRuntime.make(all)
    expect(await runtime.runPromise(Listener)).toBe("listener")
    await runtime.dispose()
    expect(steps).toEqual([...inOrder, ...inReverse])
  })
})
