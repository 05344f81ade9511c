/** `AppBuilder` for another script than the one that builds: each build is an object of that script, asked over RPC. */
import {
  AppBuilder,
  BuilderUnavailable,
  type BuildHandle,
  type BuildJob,
  type BuildResult,
  type BuildState
} from "@pawl/core/bundle/AppBuilder"
import { assetsFolder } from "@pawl/adapters-local/builder/settings/AppSettings"
import { bundler } from "@pawl/adapters-local/builder/bundler/Bundler"
import { vendoredPackages } from "@pawl/adapters-local/builder/vendored/VendoredPackages"
import { Effect, Layer } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { commandOf } from "./BuildCommands.ts"
import type { BuildCalls, Told } from "./BuilderObject.ts"

/** Where the builds are. */
export interface Options {
  /** The object of the build of this id; a stub. */
  readonly build: (id: string) => BuildCalls
  /** Whether something here runs build commands. */
  readonly commands: boolean
}

/** What cannot be asked may be asked again: an object that was moved, or whose script is new. */
const asked = <A>(call: () => Promise<Told<A>>): Effect.Effect<A, BuilderUnavailable> =>
  Effect.tryPromise({
    try: call,
    catch: (error) => new BuilderUnavailable({ reason: error instanceof Error ? error.message : "the builder is away" })
  }).pipe(
    Effect.flatMap((answer) =>
      answer._tag === "Done" ? Effect.succeed(answer.value) : new BuilderUnavailable({ reason: answer.reason })
    )
  )

const make = ({ build, commands }: Options): typeof AppBuilder.Service => {
  // A bundle comes over the line once.
  const results = new Map<string, BuildResult>()
  const keep = (id: string, result: BuildResult): BuildState => {
    const known = results.get(id) ?? result
    // A build that is not known there now may be started later.
    if (known._tag !== "Crashed") results.set(id, known)
    for (const oldest of results.keys()) {
      if (results.size <= CloudflareLimits.remoteResultsKept) break
      results.delete(oldest)
    }
    return { _tag: "Finished", result: known }
  }
  return AppBuilder.of({
    version: bundler,
    vendored: vendoredPackages,
    assetsFolder: ({ folders, settings }) => Effect.sync(() => assetsFolder(settings, folders)),
    commandOf: commandOf(commands),
    // Nothing is begun early: a Worker that waits is paid for.
    expect: () => Effect.void,
    start: (job: BuildJob) => asked(() => build(job.id).start(job)),
    poll: (handle: BuildHandle, waitMs: number) =>
      Effect.suspend(() => {
        const known = results.get(handle.id)
        return known === undefined
          ? Effect.map(
              asked(() => build(handle.id).poll(handle, waitMs)),
              (state) => (state._tag === "Finished" ? keep(handle.id, state.result) : state)
            )
          : Effect.succeed<BuildState>({ _tag: "Finished", result: known })
      }),
    cancel: (handle: BuildHandle) =>
      Effect.suspend(() => {
        results.delete(handle.id)
        // Where it cannot be asked nothing is left to be cancelled: the build ends by itself.
        return Effect.ignore(Effect.tryPromise(() => build(handle.id).cancel(handle)))
      })
  })
}

/** Builds in objects of another script. */
export const layer = (options: Options): Layer.Layer<AppBuilder> => Layer.succeed(AppBuilder, make(options))
