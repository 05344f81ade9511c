import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { takeExclusive } from "@pawl/adapters-local/sqlite/FileLock"
import { projectId } from "@pawl/testing/tools/StoreFixtures"
import * as ProjectLocks from "../../src/repositories/locks/ProjectLocks.ts"
import * as SharedProjectLocks from "../../src/repositories/locks/SharedProjectLocks.ts"
import { childOf, temporaryFolder } from "../sqlite/SqliteFixture.ts"

/** As another process has them: with queues of its own. */
const processOn = (directory: string, bounds?: SharedProjectLocks.Bounds) =>
  SharedProjectLocks.make(ProjectLocks.make(), directory, bounds)
const fileIn = (directory: string) => join(directory, `${projectId(1).slice(5, 7)}.db`)

const breath = Effect.promise(() => new Promise(setImmediate))

const ticketsIn = (queue: string): number => readdirSync(queue).filter((name) => !name.endsWith("-journal")).length

/** Ends when so many wait. */
const waiting = (directory: string, count: number) => {
  const queue = `${fileIn(directory)}.queue`
  mkdirSync(queue, { recursive: true })
  return Effect.repeat(breath, { until: () => ticketsIn(queue) === count })
}

/** Processes of their own, of which the first is inside and the others wait in this order. */
const line = (directory: string, count: number) =>
  Effect.gen(function* () {
    const children = yield* Effect.all(
      Array.from({ length: count }, () => childOf("../repositories/WriteInTurn", [directory])),
      { concurrency: "unbounded" }
    )
    for (const child of children) expect(yield* child.line).toBe("ready")
    for (const [index, child] of children.entries()) {
      yield* child.tell("write\n")
      if (index === 0) expect(yield* child.line).toBe("inside")
      else yield* waiting(directory, index)
    }
    return children
  })

const run = <A, E>(body: (directory: string) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryFolder, body)))

describe("SharedProjectLocks", () => {
  it("let one writer at a time into a Project, whichever process it is of", () =>
    run((directory) =>
      Effect.gen(function* () {
        let [inside, most, done] = [0, 0, 0]
        const work = Effect.gen(function* () {
          most = Math.max(most, ++inside)
          yield* Effect.yieldNow
          yield* breath
          inside--
          done++
        })
        const processes = Array.from({ length: 3 }, () => processOn(directory))
        const writers = processes.flatMap(({ writing }) => Array.from({ length: 5 }, () => writing(projectId(1))(work)))
        yield* Effect.all(writers, { concurrency: "unbounded" })
        expect([most, done]).toEqual([1, 15])
      })
    ))

  it("are free again when the work failed or was interrupted", () =>
    run((directory) =>
      Effect.gen(function* () {
        const { writing } = processOn(directory)
        for (const end of [Effect.fail("no"), Effect.interrupt, Effect.die(new Error("no"))])
          yield* Effect.exit(writing(projectId(1))(end))
        const lock = takeExclusive(fileIn(directory))
        expect(lock).not.toBe(null)
        lock?.close()
      })
    ))

  it("let processes in in the order in which they asked, one that was inside again last", () =>
    run((directory) =>
      Effect.gen(function* () {
        const children = yield* line(directory, 3)
        for (let round = 0; round < 6; round++) {
          const [child, next] = [children[round % 3]!, children[(round + 1) % 3]!]
          // It asks again at once, and still comes after those that wait.
          yield* child.tell("leave\nwrite\n")
          expect(yield* child.line).toBe("left")
          expect(yield* next.line).toBe("inside")
          yield* waiting(directory, 2)
        }
      })
    ))

  it("are given to the next one at once when their holder dies, and pass over one that died while it waited", () =>
    run((directory) =>
      Effect.gen(function* () {
        const [holder, second, third] = yield* line(directory, 3)
        yield* second!.kill
        yield* holder!.kill
        expect(yield* third!.line).toBe("inside")
        yield* waiting(directory, 0)
      })
    ))

  it("pass over one whose process stands still while it waits; it comes later", () =>
    run((directory) =>
      Effect.gen(function* () {
        const [holder, second, third] = yield* line(directory, 3)
        process.kill(second!.pid!, "SIGSTOP")
        yield* holder!.tell("leave\n")
        expect(yield* third!.line).toBe("inside")
        process.kill(second!.pid!, "SIGCONT")
        yield* third!.tell("leave\n")
        expect(yield* second!.line).toBe("inside")
      })
    ))

  it("are waited for as long as others get on, and given up when one write holds them for longer than any may", () =>
    run((directory) =>
      Effect.gen(function* () {
        const bounds = { heldMs: 1000, lookMs: 10, passedOverMs: 200 }
        const write = <A>(work: Effect.Effect<A>) =>
          Effect.tap(Effect.forkChild(processOn(directory, bounds).writing(projectId(1))(work)), TestClock.adjust(20))
        // Three writers in turn, each nearly as long as one may be: nobody is refused.
        const others = [
          yield* write(Effect.sleep(900)),
          yield* write(Effect.sleep(900)),
          yield* write(Effect.sleep(900))
        ]
        const last = yield* write(Effect.never)
        yield* TestClock.adjust(3000)
        for (const fiber of others) expect(Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
        const stuck = yield* write(Effect.void)
        yield* TestClock.adjust(1100)
        expect(yield* Effect.flip(Fiber.join(stuck))).toMatchObject({
          _tag: "RepositoriesUnavailable",
          operation: "lock"
        })
        yield* Fiber.interrupt(last)
        yield* waiting(directory, 0)
      }).pipe(Effect.provide(TestClock.layer()))
    ))
})
