import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { lock } from "@pawl/adapters-local/sqlite/DataFolder"
import { takeExclusive } from "@pawl/adapters-local/sqlite/FileLock"
import { share } from "@pawl/adapters-local/sqlite/SharedFolder"
import { temporaryFolder } from "./SqliteFixture.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

describe("SharedFolder", () => {
  it("lets many in, and one alone only when nobody is there", () =>
    run(
      Effect.gen(function* () {
        const folder = join(yield* temporaryFolder, "new", "data")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const first = yield* share(folder)
            expect(first).toMatchObject({ path: folder, alone: true })
            yield* first.settled
            expect((yield* share(folder)).alone).toBe(false)
            expect((yield* share(folder)).alone).toBe(false)
            expect(yield* Effect.flip(lock(folder))).toMatchObject({ _tag: "FolderInUse", folder })
          })
        )
        yield* lock(folder)
        expect(yield* Effect.flip(share(folder))).toMatchObject({ _tag: "FolderInUse", folder })
      })
    ))

  it("keeps the others waiting until the one that is alone has cleared up", () =>
    run(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const turn = () => takeExclusive(join(folder, "start.db"))
        const first = yield* share(folder)
        expect(turn()).toBe(null)
        yield* first.settled
        const next = turn()
        expect(next).not.toBe(null)
        next?.close()
        yield* share(folder)
        turn()!.close()
      })
    ))
})
