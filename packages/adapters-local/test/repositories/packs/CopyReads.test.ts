import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ObjectNotFound } from "@pawl/core/project/Repositories"
import { parts as gitParts } from "@pawl/adapters-local/repositories/GitRepositories"
import * as CacheFolder from "@pawl/adapters-local/repositories/packs/CacheFolder"
import { reading } from "@pawl/adapters-local/repositories/packs/CopyReads"
import * as PackSource from "@pawl/adapters-local/repositories/packs/PackSource"
import { scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { run } from "./PackWorld.ts"

describe("A read that finds nothing", () => {
  it("is not believed when the copies were thrown away while it waited to look at them", () =>
    run((world) =>
      Effect.gen(function* () {
        const { project } = yield* scene((yield* world.machine()).git)
        const folder = mkdtempSync(join(tmpdir(), "copies-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
        const root = yield* CacheFolder.open(folder)
        const { readers } = yield* gitParts(root, { rollsUp: false, shared: false })
        const cache = CacheFolder.make({ root, maxBytes: 2 ** 30, readers })
        const read = reading({ cache, source: yield* PackSource.make })
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
