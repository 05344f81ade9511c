import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, it } from "vitest"
import * as CacheFolder from "@pawl/adapters-local/repositories/packs/CacheFolder"

/** Until a promise about the disk holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate)
}

describe("The folder of copies", () => {
  it("is each process's own, and what the dead left in it goes; of the living nothing", async () => {
    const directory = mkdtempSync(join(tmpdir(), "cache-"))
    const [first, second, third] = [Scope.makeUnsafe(), Scope.makeUnsafe(), Scope.makeUnsafe()]
    const open = (scope: Scope.Scope) => Effect.runPromise(Scope.provide(CacheFolder.open(directory), scope))
    const [one, two] = [await open(first), await open(second)]
    for (const root of [one, two]) writeFileSync(join(root, "x"), "x")
    const dead = join(directory, "copies-00000000-0000-4000-8000-000000000000")
    const other = join(directory, "somebody-elses")
    for (const path of [dead, other]) mkdirSync(path)
    await Effect.runPromise(Scope.close(first, Exit.void))
    const three = await open(third)
    await until(() => !existsSync(one) && !existsSync(dead))
    expect([existsSync(join(two, "x")), existsSync(three), existsSync(other)]).toEqual([true, true, true])
    expect(new Set([one, two, three]).size).toBe(3)
    for (const scope of [second, third]) await Effect.runPromise(Scope.close(scope, Exit.void))
    const last = Scope.makeUnsafe()
    const four = await open(last)
    await until(() =>
      readdirSync(directory)
        .filter((name) => name.startsWith("copies-"))
        .every((name) => four.includes(name.slice(0, 43)))
    )
    await Effect.runPromise(Scope.close(last, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  })
})
