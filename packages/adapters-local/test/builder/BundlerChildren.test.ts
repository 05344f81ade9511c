import { Effect } from "effect"
import { expect, it } from "vitest"
import { childLimits, isReady } from "../../src/builder/bundler/BundlerChild.ts"
import { makeChildren } from "../../src/builder/bundler/BundlerChildren.ts"

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
