/**
 * `AppBuilder` for another script than the one that builds: each build is an object of that script, asked over RPC, and what a
 * source says of how it is built is read there too.
 */
import {
  AppBuilder,
  BuilderUnavailable,
  type BuildHandle,
  type BuildJob,
  type BuildResult,
  type BuildState
} from "@pawl/core/bundle/AppBuilder"
import { bundler } from "@pawl/adapters-local/builder/bundler/Bundler"
import { problem } from "@pawl/adapters-local/builder/bundler/BundlerProblem"
import { vendoredPackages } from "@pawl/adapters-local/builder/vendored/VendoredPackages"
import { Effect, Layer } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { BuildCalls, Told } from "./BuilderObject.ts"
import { bytesOf } from "./JobBytes.ts"
import { outlineOf, type SourceCalls } from "./SourceOutline.ts"

/** Where the builds are. */
export interface Options {
  /** The object of the build of this id; a stub. */
  readonly build: (id: string) => BuildCalls
  /** What reads sources; a stub. */
  readonly sources: SourceCalls
}

/** What cannot be asked may be asked again: an object that was moved, or whose script is new. */
const reached = <A>(call: () => Promise<A>): Effect.Effect<A, BuilderUnavailable> =>
  Effect.tryPromise({
    try: call,
    catch: (error) => new BuilderUnavailable({ reason: error instanceof Error ? error.message : "the builder is away" })
  })

const asked = <A>(call: () => Promise<Told<A>>): Effect.Effect<A, BuilderUnavailable> =>
  Effect.flatMap(reached(call), (answer) =>
    answer._tag === "Done" ? Effect.succeed(answer.value) : new BuilderUnavailable({ reason: answer.reason })
  )

/** What no message holds is refused here: sent all the same it would fail as if the builder were away, for a day. */
const refused = ({ files, generated }: BuildJob): BuildResult | null => {
  const bytes = bytesOf(files) + (generated === undefined ? 0 : bytesOf(generated))
  const most = CloudflareLimits.buildJobBytes
  if (bytes <= most) return null
  const words = `The source has ${bytes} bytes with its assets and what its build command made; at most ${most} are built here.`
  return { _tag: "Refused", problems: [problem("source_bytes_over_limit", words)] }
}

const make = ({ build, sources }: Options): typeof AppBuilder.Service => {
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
    assetsFolder: ({ folders, settings }) => reached(() => sources.assetsFolder(settings, folders)),
    commandOf: (files) => {
      const outline = outlineOf(files)
      // What says nothing needs no reader.
      return outline.told.size === 0 ? Effect.succeed({ _tag: "None" }) : reached(() => sources.commandOf(outline))
    },
    // Nothing is begun early: a Worker that waits is paid for.
    expect: () => Effect.void,
    start: (job: BuildJob) =>
      Effect.suspend((): Effect.Effect<BuildHandle, BuilderUnavailable> => {
        const result = refused(job)
        if (result === null) return asked(() => build(job.id).start(job))
        keep(job.id, result)
        return Effect.succeed({ id: job.id })
      }),
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
