/** Who starts the processes of git: this process, unless it is given a spawner. */
import { Context, Effect, Layer } from "effect"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { processFolder } from "../ProcessFolder.ts"
import { startBySpawner, startHere, type Starter } from "../spawner/Child.ts"
import { SharedSpawner } from "../spawner/SharedSpawner.ts"
import { Spawner } from "../spawner/Spawner.ts"

/** Starts git. A command that does little forks itself; a server, whose forks are long, has a spawner. */
export const GitProcesses = Context.Reference<Starter>("@pawl/adapters-local/repositories/GitProcesses", {
  defaultValue: () => startHere
})

/** A spawner that begins when it is first asked: a process that never asks for git has none. */
const spawnerIn = (reach: string) => {
  let opening: Promise<Spawner> | null = null
  const open = () => (opening ??= Spawner.open(reach))
  const start: Starter = async (program) => startBySpawner(await open())(program)
  return { open, start, close: async () => (await opening)?.close() }
}

/**
 * A spawner for git, and for who else asks for the shared one, with its socket in a folder below `folder` that nobody else
 * may enter. It ends with the scope.
 */
export const layerSpawner = (folder: string): Layer.Layer<never, RepositoriesUnavailable> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { reach } = yield* processFolder(folder)
      const { open, start } = yield* Effect.acquireRelease(
        Effect.sync(() => spawnerIn(reach)),
        ({ close }) => Effect.promise(() => close().catch(() => undefined))
      )
      return Context.make(GitProcesses, start).pipe(Context.add(SharedSpawner, open))
    }).pipe(Effect.mapError((reason) => new RepositoriesUnavailable({ operation: "open", reason })))
  )
