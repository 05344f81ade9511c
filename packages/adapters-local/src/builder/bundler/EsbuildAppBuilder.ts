/**
 * Builds apps with esbuild, each in a process of its own that serves this one build and is then discarded:
 * a source that crashes or hangs the bundler touches no other. A spare process, started ahead, hides its start.
 */
import {
  AppBuilder,
  BuilderUnavailable,
  type BuildHandle,
  type BuildJob,
  type BuildResult,
  type BuildState
} from "@pawl/core/bundle/AppBuilder"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { Deferred, Effect, Exit, Layer, type Scope, Semaphore } from "effect"
import { splitTree, type SplitTree } from "../assets/AppAssets.ts"
import { type AppSettings, appSettings, assetsFolder } from "../settings/AppSettings.ts"
import { buildCommand } from "../settings/BuildCommand.ts"
import { assemble } from "./BundleAssembly.ts"
import {
  bundler,
  type BundlerChild,
  childLimits,
  type ChildLimits,
  isAlive,
  order,
  type Outcome,
  startChild,
  stopChild
} from "./BundlerChild.ts"
import { moduleKind } from "./ModuleTypes.ts"
import { layerManifestName } from "../../packages/LayerManifest.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"
import type { Page } from "../assets/PageTexts.ts"
import { pagesOf } from "../assets/PageTypes.ts"
import { isLookedAt } from "../auth/RealAuth.ts"
import { versionWarnings } from "../vendored/VendoredVersions.ts"

/** How a build is bounded. What is left out is as `LocalLimits` has it. */
export interface Options {
  /** The folder of the layers of packages: a job's layer is `<packageLayers>/<id>`. Without it no job may have packages. */
  readonly packageLayers?: string
  /** Wall time of one build, in milliseconds. */
  readonly timeoutMs?: number
  readonly limits?: ChildLimits
  /** Keeps one process ready after each build. Default true. */
  readonly spare?: boolean
}

interface Build {
  readonly result: Deferred.Deferred<BuildResult, BuilderUnavailable>
  /** Done when nothing of the build runs any more. */
  readonly ended: Deferred.Deferred<void>
  state: "running" | "finished" | "unavailable"
}

const unknownBuild: BuildResult = {
  _tag: "Crashed",
  reason: "This build was cancelled, or this builder does not know it: start it again."
}

/** Hands out processes: the spare when there is one. None is ever used twice. */
const makeChildren = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<
  { readonly withChild: <A, E>(use: (child: BundlerChild) => Effect.Effect<A, E>) => Effect.Effect<A, E> },
  never,
  Scope.Scope
> {
  const limits = options.limits ?? childLimits
  let spare: BundlerChild | null = null
  let closed = false
  const take = Effect.sync(() => {
    const child = spare !== null && isAlive(spare) ? spare : startChild(limits)
    spare = null
    return child
  })
  const prepare = Effect.sync(() => {
    if (options.spare !== false && !closed && (spare === null || !isAlive(spare))) spare = startChild(limits)
  })
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      return spare === null ? Effect.void : stopChild(spare)
    })
  )
  return {
    withChild: (use) => Effect.acquireUseRelease(take, use, (child) => Effect.andThen(stopChild(child), prepare))
  }
})

/** All that is built: what a build command made stands over the source. */
const filesOf = ({ files, generated }: BuildJob): BuildJob["files"] =>
  generated === undefined || generated.size === 0 ? files : new Map([...files, ...generated])

/** The source, and of the assets what code could import and what a browser takes for code or could show as a page. */
const bundled = (
  all: BuildJob["files"],
  source: ReadonlyMap<string, Uint8Array>,
  pages: ReadonlyMap<string, Page>
): ReadonlyMap<string, Uint8Array> => {
  const files = new Map(source)
  for (const [path, { content }] of all)
    if (!files.has(path) && (moduleKind(path) !== undefined || isLookedAt(path) || pages.has(path)))
      files.set(path, content)
  return files
}

/** By their path in the tree. */
const pagesIn = (split: Pick<SplitTree, "assets" | "headers" | "redirects">, directory: string | null) =>
  new Map([...pagesOf(split)].map(([path, page]) => [`${directory}/${path}`, page]))

/** One build from a job to its result. */
const makeRun = Effect.fnUntraced(function* (options: Options) {
  const children = yield* makeChildren(options)
  const timeoutMs = options.timeoutMs ?? Limits.buildTimeoutMs

  const bundle = (settings: AppSettings, given: Pick<BundlerOrder, "files" | "generated" | "layer" | "pages">) =>
    children.withChild((child) =>
      order(child, {
        ...given,
        main: settings.main,
        assets: settings.assets.directory,
        flags: settings.compatibilityFlags,
        rules: settings.rules,
        modules: settings.modules,
        jsx: settings.jsx,
        tsconfig: settings.tsconfig,
        packageBytes: LocalLimits.buildPackageBytes,
        moduleBytes: LocalLimits.buildModuleBytes,
        problems: LocalLimits.buildProblems,
        unpackedBytes: LocalLimits.buildUnpackedBytes,
        parseCharacters: LocalLimits.buildAuthParseCharacters
      }).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () =>
            Effect.succeed<Outcome>({
              _tag: "Died",
              reason: `The build took longer than ${timeoutMs} ms and was stopped.`
            })
        })
      )
    )

  /** The folder of a job's packages. It may have been trimmed away: who asks again has it made again. */
  const layerOf = Effect.fnUntraced(function* ({ packages }: BuildJob) {
    if (packages === undefined) return null
    const folder = options.packageLayers === undefined ? null : join(options.packageLayers, packages.id)
    if (folder === null || !/^[0-9a-z-]+$/i.test(packages.id) || !existsSync(join(folder, layerManifestName)))
      return yield* new BuilderUnavailable({ reason: "the packages of the lock file are not on this machine now" })
    return folder
  })

  return Effect.fnUntraced(function* (job: BuildJob): Effect.fn.Return<BuildResult, BuilderUnavailable> {
    const all = filesOf(job)
    const generated = new Set(job.generated?.keys())
    const read = appSettings(all, job.generated === undefined ? null : generated)
    if (read._tag === "Refused") return { _tag: "Refused", problems: read.problems }
    const { settings } = read
    const { source, problems, warnings, ...split } = splitTree(all, settings.assets, generated)
    if (problems.length > 0) return { _tag: "Refused", problems }
    const layer = yield* layerOf(job)
    const noted = [...settings.warnings, ...warnings, ...(layer === null ? versionWarnings(source) : [])]
    const pages = pagesIn(split, settings.assets.directory)
    const files = bundled(all, source, pages)
    // Images alone need no look.
    if (settings.main === null && pages.size === 0 && ![...files.keys()].some(isLookedAt))
      return yield* assemble({ job, settings, split, main: null, parts: [], packages: [], warnings: noted })
    const answer = yield* bundle(settings, { files, generated, layer, pages })
    if (answer._tag === "Died") return { _tag: "Crashed", reason: answer.reason }
    if (answer._tag === "Refused") return answer
    const { main, modules, packages } = answer
    const said = [...noted, ...answer.warnings]
    return yield* assemble({ job, settings, split, main, parts: modules, packages, warnings: said })
  })
})

const make = Effect.fnUntraced(function* (options: Options) {
  const scope = yield* Effect.scope
  const run = yield* makeRun(options)
  const slots = yield* Semaphore.make(LocalLimits.buildsAtOnce)
  const builds = new Map<string, Build>()

  /** Finished builds that no one cancelled go, oldest first. */
  const forgetOldest = () => {
    const done = [...builds].filter(([, build]) => build.state !== "running")
    for (const [id] of done.slice(0, Math.max(0, done.length - LocalLimits.buildResultsKept))) builds.delete(id)
  }

  /** Ends with the build, or at once when someone else (a cancel) settles the result first. */
  const work = (job: BuildJob, build: Build) =>
    Effect.raceFirst(slots.withPermits(1)(run(job)), Deferred.await(build.result)).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          build.state = Exit.isSuccess(exit) ? "finished" : "unavailable"
          forgetOldest()
        })
      ),
      Deferred.into(build.result),
      Effect.ensuring(Deferred.succeed(build.ended, undefined)),
      Effect.withSpan("EsbuildAppBuilder.build")
    )

  const start = Effect.fnUntraced(function* (job: BuildJob): Effect.fn.Return<BuildHandle> {
    const result = yield* Deferred.make<BuildResult, BuilderUnavailable>()
    const ended = yield* Deferred.make<void>()
    const build: Build = { result, ended, state: "running" }
    const isNew = yield* Effect.sync(() => {
      const known = builds.get(job.id)
      if (known !== undefined && known.state !== "unavailable") return false
      builds.set(job.id, build)
      return true
    })
    // At once: a fiber that is stopped before its first step would settle neither `result` nor `ended`.
    if (isNew) yield* Effect.forkIn(work(job, build), scope, { startImmediately: true })
    return { id: job.id }
  }, Effect.uninterruptible)

  const poll = (handle: BuildHandle, waitMs: number): Effect.Effect<BuildState, BuilderUnavailable> =>
    Effect.suspend(() => {
      const build = builds.get(handle.id)
      if (build === undefined) return Effect.succeed<BuildState>({ _tag: "Finished", result: unknownBuild })
      return Deferred.await(build.result).pipe(
        Effect.map((result): BuildState => ({ _tag: "Finished", result })),
        Effect.timeoutOrElse({
          duration: Math.max(0, waitMs),
          orElse: () => Effect.succeed<BuildState>({ _tag: "Running" })
        })
      )
    })

  const cancel = Effect.fnUntraced(function* (handle: BuildHandle): Effect.fn.Return<void> {
    const build = builds.get(handle.id)
    if (build === undefined) return
    builds.delete(handle.id)
    yield* Deferred.succeed(build.result, unknownBuild)
    yield* Deferred.await(build.ended)
  })

  return AppBuilder.of({
    version: bundler,
    assetsFolder: ({ folders, settings }) => Effect.sync(() => assetsFolder(settings, folders)),
    commandOf: (files) => Effect.sync(() => buildCommand(files)),
    start,
    poll,
    cancel
  })
})

/** Builds with esbuild on this machine. Closing it kills every process it started. */
export const layer = (options: Options = {}): Layer.Layer<AppBuilder> => Layer.effect(AppBuilder, make(options))
