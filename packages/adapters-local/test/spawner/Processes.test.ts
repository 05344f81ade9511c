/** The life of a spawner of git. What repositories promise by way of one is in `GitRepositories.test.ts`. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { short } from "../../src/repositories/GitCommand.ts"
import { layerSpawner } from "../../src/spawner/Processes.ts"
import { childrenOf, commandOf } from "../Processes.ts"

const root = mkdtempSync(join(tmpdir(), "git-processes-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const spawners = (): number => childrenOf(process.pid).filter((pid) => commandOf(pid).includes("SpawnerProcess")).length
const version = short({ gitDir: root, args: ["--version"] })

describe("The spawner of git", () => {
  it("is not there before git is asked for, does it then, and leaves neither a process nor a folder", async () => {
    const folder = join(root, "alone")
    const before = spawners()
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        const idle = spawners() - before
        const { code, stdout } = yield* version
        yield* version
        return { idle, code, said: stdout.toString().split(" ", 2).join(" "), asked: spawners() - before }
      }).pipe(Effect.provide(layerSpawner(folder)))
    )
    expect(seen).toEqual({ idle: 0, code: 0, said: "git version", asked: 1 })
    expect([spawners() - before, readdirSync(folder)]).toEqual([0, []])
  })

  it("works from a folder whose path is longer than a socket's name may be", async () => {
    const folder = join(root, "x".repeat(120))
    const { code } = await Effect.runPromise(Effect.provide(version, layerSpawner(folder)))
    expect(code).toBe(0)
  })

  it("gives a machine's failure when what it is to start is not there", async () => {
    const failing = short({ gitDir: join(root, "gone"), args: ["--version"] })
    const failed = await Effect.runPromise(Effect.flip(Effect.provide(failing, layerSpawner(join(root, "run")))))
    expect(failed).toMatchObject({ _tag: "RepositoriesUnavailable", operation: "--version" })
  })
})
