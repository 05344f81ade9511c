import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { childLimits, isReady, order } from "../../src/builder/bundler/BundlerChild.ts"
import { makeChildren } from "../../src/builder/bundler/BundlerChildren.ts"
import { firstOrder } from "../../src/builder/bundler/FirstOrder.ts"
import { Spawner } from "../../src/spawner/Spawner.ts"

const MiB = 1024 * 1024
const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

it("a process that is started for a build that waits has bundled nothing, and takes its order all the same", () =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const children = yield* makeChildren({ spare: false })
        const child = yield* children.take
        yield* isReady(child)
        expect(child.isTried).toBe(false)
        yield* children.giveBack(child)
      })
    )
  ))

it("whether anything can be bundled here is tried by a process that bundles, and told where none can", () =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        yield* (yield* makeChildren({})).tried
        // In so little memory no program begins.
        const narrow = yield* makeChildren({ limits: { ...childLimits, memoryBytes: 8 * MiB } })
        expect(yield* Effect.flip(narrow.tried)).toMatchObject({ _tag: "BuilderUnavailable" })
      })
    )
  ))

const spawnerForTest = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-children-"))
    return { folder, spawner: await Spawner.open(folder) }
  }),
  ({ folder, spawner }) =>
    Effect.promise(async () => {
      await spawner.close()
      rmSync(folder, { recursive: true, force: true })
    })
)

it("a process that goes with its spawner is a failure of machinery, and the next one takes the order", () =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const { spawner } = yield* spawnerForTest
        const children = yield* makeChildren({ spare: false, start: (command) => spawner.start(command) })
        const lost = yield* children.take
        yield* isReady(lost)
        const gone = Effect.promise(() => once(lost.process, "close"))
        process.kill(spawner.pid ?? 0, "SIGKILL")
        yield* gone
        expect(yield* Effect.flip(order(lost, firstOrder))).toMatchObject({ _tag: "BuilderUnavailable" })
        yield* children.giveBack(lost)
        const next = yield* children.take
        expect((yield* order(next, firstOrder))._tag).toBe("Bundled")
        yield* children.giveBack(next)
      })
    )
  ))
