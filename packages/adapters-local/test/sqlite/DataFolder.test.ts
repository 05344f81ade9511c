import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { lock } from "@pawl/adapters-local/sqlite/DataFolder"
import { childOf, temporaryFolder } from "./SqliteFixture.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

describe("DataFolder", () => {
  it("lets one holder in at a time, names the folder and the holder, and opens again when it leaves", () =>
    run(
      Effect.gen(function* () {
        const folder = join(yield* temporaryFolder, "new", "data")
        yield* Effect.scoped(
          Effect.gen(function* () {
            expect((yield* lock(folder)).path).toBe(folder)
            const refused = yield* Effect.flip(lock(folder))
            expect(refused).toMatchObject({ _tag: "FolderInUse", folder, pid: process.pid })
            expect(refused.message).toContain(folder)
            expect(refused.message).toContain(String(process.pid))
          })
        )
        yield* lock(folder)
      })
    ))

  it("refuses a second process, and is free at once when the first is killed", () =>
    run(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const child = yield* childOf("HoldFolder", [folder])
        yield* child.line
        expect(yield* Effect.flip(lock(folder))).toMatchObject({ _tag: "FolderInUse", pid: child.pid })
        yield* child.kill
        yield* lock(folder)
      })
    ))

  it("is not held by the children of a holder that left", () =>
    run(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const child = yield* Effect.scoped(
          Effect.andThen(
            lock(folder),
            Effect.sync(() => spawn("sleep", ["60"], { stdio: "ignore" }))
          )
        )
        yield* Effect.addFinalizer(() => Effect.promise(() => (child.kill("SIGKILL"), once(child, "exit"))))
        yield* lock(folder)
      })
    ))

  it("says why a folder cannot be used", () =>
    run(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        writeFileSync(join(folder, "file"), "")
        expect(yield* Effect.flip(lock(join(folder, "file")))).toMatchObject({ _tag: "FolderUnavailable" })
        mkdirSync(join(folder, "other", "lock.db"), { recursive: true })
        expect(yield* Effect.flip(lock(join(folder, "other")))).toMatchObject({ _tag: "FolderUnavailable" })
      })
    ))
})
