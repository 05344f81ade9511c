/** Who starts the processes of git: this process, unless it is given a spawner. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { startBySpawner, startHere, type Starter } from "../spawner/Child.ts"
import { Spawner } from "../spawner/Spawner.ts"

/** Starts git. A command that does little forks itself; a server, whose forks are long, has a spawner. */
export const GitProcesses = Context.Reference<Starter>("@pawl/adapters-local/repositories/GitProcesses", {
  defaultValue: () => startHere
})

const opened = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new RepositoriesUnavailable({ operation: "open", reason: cause instanceof Error ? cause.message : "unknown" })
  })

/** A spawner for git alone, whose socket stands in a folder that nobody else may enter. It ends with the scope. */
export const layerSpawner: Layer.Layer<never, RepositoriesUnavailable> = Layer.effect(
  GitProcesses,
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      opened(() => mkdtemp(join(tmpdir(), "pawl-git-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }).catch(() => undefined))
    )
    const spawner = yield* Effect.acquireRelease(
      opened(() => Spawner.open(folder)),
      (each) => Effect.promise(() => each.close())
    )
    return startBySpawner(spawner)
  })
)
