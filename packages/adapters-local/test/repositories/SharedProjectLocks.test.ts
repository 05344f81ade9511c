import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { takeExclusive } from "@pawl/adapters-local/sqlite/FileLock"
import { projectId } from "@pawl/testing/StoreFixtures"
import * as ProjectLocks from "../../src/repositories/ProjectLocks.ts"
import * as SharedProjectLocks from "../../src/repositories/SharedProjectLocks.ts"

describe("SharedProjectLocks", () => {
  const directory = mkdtempSync(join(tmpdir(), "pawl-locks-"))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  /** As another process has them: with queues of its own. */
  const process = () => SharedProjectLocks.make(ProjectLocks.make(), directory)

  it("let one writer at a time into a Project, whichever process it is of", async () => {
    let [inside, most, done] = [0, 0, 0]
    const work = Effect.gen(function* () {
      most = Math.max(most, ++inside)
      yield* Effect.yieldNow()
      yield* Effect.promise(() => new Promise(setImmediate))
      inside--
      done++
    })
    const writers = [process(), process(), process()].flatMap(({ writing }) =>
      Array.from({ length: 5 }, () => writing(projectId(1))(work))
    )
    await Effect.runPromise(Effect.all(writers, { concurrency: "unbounded" }))
    expect([most, done]).toEqual([1, 15])
  })

  it("are free again when the work failed or was interrupted", async () => {
    const { writing } = process()
    for (const end of [Effect.fail("no"), Effect.interrupt, Effect.dieMessage("no")])
      await Effect.runPromise(Effect.exit(writing(projectId(1))(end)))
    const file = join(directory, `${projectId(1).slice(5, 7)}.db`)
    const lock = takeExclusive(file)
    expect(lock).not.toBe(null)
    lock?.close()
  })
})
