/** Who starts the processes of git, of checks and of builds: this process, unless it is given a spawner. */
import { Context, Data, Effect, Layer } from "effect"
import { processFolder } from "../ProcessFolder.ts"
import { Spawner } from "./Spawner.ts"
import { startHere } from "./StartHere.ts"
import type { Starter } from "./Starter.ts"

/** A command that does little forks itself, which is the default; a server, whose forks are long, has a spawner. */
export const Processes = Context.Reference<Starter>("@pawl/adapters-local/spawner/Processes", {
  defaultValue: () => startHere
})

/** There is no folder for the spawner's socket; `reason` is for people. */
export class SpawnerUnavailable extends Data.TaggedError("SpawnerUnavailable")<{ readonly reason: string }> {
  override get message(): string {
    return `the spawner has no folder for its socket: ${this.reason}`
  }
}

/** A spawner that begins when it is first asked: a process that never asks has none. */
const spawnerIn = (reach: string) => {
  let opening: Promise<Spawner> | null = null
  const start: Starter = async (command) => (await (opening ??= Spawner.open(reach))).start(command)
  return { start, close: async () => (await opening)?.close() }
}

/** One spawner for all who ask, with its socket in a folder below `folder` that nobody else may enter. It ends with the scope. */
export const layerSpawner = (folder: string): Layer.Layer<never, SpawnerUnavailable> =>
  Layer.effect(
    Processes,
    Effect.gen(function* () {
      const { reach } = yield* processFolder(folder)
      const { start } = yield* Effect.acquireRelease(
        Effect.sync(() => spawnerIn(reach)),
        ({ close }) => Effect.promise(() => close().catch(() => undefined))
      )
      return start
    }).pipe(Effect.mapError((reason) => new SpawnerUnavailable({ reason })))
  )
