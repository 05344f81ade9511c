import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ObjectNotFound } from "@pawl/core/project/Repositories"
import { reading } from "@pawl/adapters-local/repositories/packs/CopyReads"
import { scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { copyParts, run } from "./PackWorld.ts"

describe("A read that finds nothing", () => {
  it("is not believed when the copies were thrown away while it waited to look at them", () =>
    run((world) =>
      Effect.gen(function* () {
        const { project } = yield* scene((yield* world.machine()).git)
        const { parts } = yield* copyParts
        const { cache } = parts
        const read = reading(parts)
        const cached = yield* cache.lease(project)
        let tries = 0
        const work = Effect.gen(function* () {
          if (++tries > 1) return "there"
          const isHeld = yield* Deferred.make<void>()
          const throwing = Effect.gen(function* () {
            yield* Deferred.succeed(isHeld, undefined)
            // Who found nothing comes to wait for the turn meanwhile.
            for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
            yield* cache.throwAway(cached)
          })
          yield* Effect.forkScoped(cached.turn.withPermits(1)(throwing))
          yield* Deferred.await(isHeld)
          return yield* new ObjectNotFound({ what: "repository", id: "of nobody" })
        })
        expect(yield* read([{ project }], work)).toBe("there")
        expect(tries).toBe(2)
        // What the log does not have is not there, however often it is asked for.
        const missing = new ObjectNotFound({ what: "commit", id: "of nobody" })
        expect(yield* Effect.flip(read([{ project }], Effect.fail(missing)))).toBe(missing)
      })
    ))
})
