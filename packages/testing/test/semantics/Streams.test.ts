import { Effect, Fiber, Latch, Queue, Stream } from "effect"
import { describe, expect, it } from "vitest"

const run = <A, E>(program: Effect.Effect<A, E>) => Effect.runPromise(program)
const turns = Effect.repeat(Effect.yieldNow, { times: 50 })

/** A source without an end that counts what was taken of it. */
const source = () => {
  const made = { count: 0 }
  const stream = Stream.fromEffectRepeat(Effect.sync(() => ++made.count))
  return { made, stream }
}

describe("A stream", () => {
  it("makes nothing before it is asked, and then only what is taken", () =>
    run(
      Effect.gen(function* () {
        const { made, stream } = source()
        const three = Stream.take(stream, 3)
        expect(made.count).toBe(0)
        expect(yield* Stream.runCollect(three)).toEqual([1, 2, 3])
        expect(made.count).toBe(3)
      })
    ))

  it("waits for a slow reader: it is never more than one piece ahead", () =>
    run(
      Effect.gen(function* () {
        const { made, stream } = source()
        let read = 0
        const slow = Stream.runForEach(Stream.take(stream, 20), () =>
          Effect.andThen(
            turns,
            Effect.sync(() => expect(made.count - ++read).toBeLessThanOrEqual(1))
          )
        )
        yield* slow
        expect(read).toBe(20)
      })
    ))

  it("runs ahead by twice its buffer and no more while nobody reads on", () =>
    run(
      Effect.gen(function* () {
        const { made, stream } = source()
        const gate = yield* Latch.make()
        const reading = yield* Effect.forkChild(
          Stream.runForEach(Stream.take(Stream.buffer(stream, { capacity: 4 }), 20), () => gate.await)
        )
        yield* turns
        // The reader took all four that there were, four wait, and one waits for a place.
        expect(made.count).toBe(9)
        yield* turns
        expect(made.count).toBe(9)
        yield* gate.open
        yield* Fiber.join(reading)
      })
    ))

  it("of a bounded queue keeps who offers waiting until there is room", () =>
    run(
      Effect.gen(function* () {
        const queue = yield* Queue.bounded<number>(2)
        let offered = 0
        const offering = yield* Effect.forkChild(
          Effect.forEach([1, 2, 3, 4, 5], (n) =>
            Effect.andThen(
              Queue.offer(queue, n),
              Effect.sync(() => void offered++)
            )
          )
        )
        yield* turns
        expect(offered).toBe(2)
        expect(yield* Stream.runCollect(Stream.take(Stream.fromQueue(queue), 5))).toEqual([1, 2, 3, 4, 5])
        yield* Fiber.join(offering)
      })
    ))

  it("of the web is read only as far as it is wanted", async () => {
    const { made, stream } = source()
    const bytes = Stream.map(stream, () => new Uint8Array(1024))
    const reader = Stream.toReadableStream(bytes).getReader()
    for (let n = 0; n < 3; n++) expect((await reader.read()).value?.length).toBe(1024)
    await run(turns)
    expect(made.count).toBeLessThanOrEqual(5)
    await reader.cancel()
  })

  it.each<readonly [string, (stream: Stream.Stream<number>) => Effect.Effect<unknown, unknown>]>([
    ["ends", (stream) => Stream.runDrain(Stream.take(stream, 2))],
    ["fails", (stream) => Effect.exit(Stream.runForEach(stream, () => Effect.fail("reader")))],
    [
      "is interrupted",
      (stream) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Stream.runForEach(stream, () => Effect.never))
          yield* turns
          yield* Fiber.interrupt(fiber)
        })
    ]
  ])("gives back what it holds when its reader %s", (_how, read) =>
    run(
      Effect.gen(function* () {
        const { stream } = source()
        const steps: Array<string> = []
        const held = Stream.unwrap(
          Effect.as(
            Effect.acquireRelease(
              Effect.sync(() => steps.push("opened")),
              () => Effect.sync(() => void steps.push("closed"))
            ),
            stream
          )
        )
        yield* read(held)
        expect(steps).toEqual(["opened", "closed"])
      })
    )
  )

  it("of the web gives back what it holds when its reader cancels", async () => {
    const { stream } = source()
    let closed = false
    const held = Stream.ensuring(
      stream,
      Effect.sync(() => void (closed = true))
    )
    const reader = Stream.toReadableStream(held).getReader()
    await reader.read()
    await reader.cancel()
    await run(turns)
    expect(closed).toBe(true)
  })
})
