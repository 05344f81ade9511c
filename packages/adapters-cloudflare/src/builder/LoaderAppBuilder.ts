/**
 * Builds apps with esbuild as WebAssembly, each in a Worker of its own that Worker Loader makes for this one build: no
 * network, no binding, bounded CPU time, and never used again. A source that crashes the bundler touches no other.
 */
import type { WorkerLoader } from "@cloudflare/workers-types"
import { AppBuilder, BuilderUnavailable, type BuildJob } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import { BundlerAnswer, type BundlerOrder } from "@pawl/adapters-local/builder/bundler/BundlerMessages"
import { problem } from "@pawl/adapters-local/builder/bundler/BundlerProblem"
import { type Answered, inTime, runBuild } from "@pawl/adapters-local/builder/bundler/BuildRun"
import { makeBuilder } from "@pawl/adapters-local/builder/bundler/BuildTable"
import { Effect, Layer, Schema, Semaphore } from "effect"
import { commandOf } from "./BuildCommands.ts"
import type { answer } from "./BundlerAnswers.ts"
import { type BundlerModules, loadedCode } from "./BundlerModules.ts"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { Bucket } from "../objects/Bucket.ts"
import { type GivenLayer, openLayer, type OpenLayer } from "../packages/LayerReads.ts"

/** Where builds run, and how they are bounded. */
export interface Options {
  readonly loader: WorkerLoader
  readonly modules: BundlerModules
  /** Whether something here runs build commands. Without, a source that needs one is refused in words. */
  readonly commands: boolean
  /** Where packages of lock files are kept; without it no job may have any. */
  readonly packages?: Bucket
  /** Wall time of one build, in milliseconds. */
  readonly timeoutMs?: number
}

interface Bundling {
  readonly answer: (order: BundlerOrder, layer: GivenLayer | null) => ReturnType<typeof answer>
}

const isBundling = (entry: object): entry is Bundling => "answer" in entry

/** What a Worker died of, in words. What it threw is the source's own doing, and is not repeated. */
const reasonOf = (error: unknown): string => {
  const said = error instanceof Error ? error.message : ""
  if (/memory/i.test(said)) return "The bundler ran out of memory."
  if (/CPU/.test(said)) return `The build took more than ${CloudflareLimits.buildCpuMs} ms of CPU time.`
  return "The bundler ended by itself: some of the source may be nested too deeply, or it needs too much memory."
}

const gone = new BuilderUnavailable({ reason: "the packages of the lock file are not kept here now" })

const answered = (
  { loader, modules }: Options,
  order: BundlerOrder,
  layer: OpenLayer | null
): Effect.Effect<Answered, BuilderUnavailable> =>
  Effect.promise(async (): Promise<Answered> => {
    try {
      const subRequests = layer === null ? 0 : CloudflareLimits.buildPackageReads
      // No name: nothing ever gets this Worker again.
      const entry = loader
        .load(loadedCode(modules, { cpuMs: CloudflareLimits.buildCpuMs, subRequests }))
        .getEntrypoint()
      if (!isBundling(entry)) throw new Error("the Worker of a build takes no orders")
      const given = layer === null ? null : { manifest: layer.manifest, read: layer.read }
      const said = Schema.decodeUnknownSync(BundlerAnswer)(await entry.answer(order, given))
      return said._tag === "Died" ? { _tag: "Died", reason: reasonOf(null) } : said
    } catch (error) {
      return { _tag: "Died", reason: reasonOf(error) }
    }
  }).pipe(Effect.flatMap((answer) => (layer?.isLost() === true ? Effect.fail(gone) : Effect.succeed(answer))))

/** The packages of the job's lock file. One that is gone is made again by who asks for it again. */
const layerOf = (
  { packages: bucket }: Options,
  { packages }: BuildJob
): Effect.Effect<OpenLayer | null, BuilderUnavailable> =>
  packages === undefined
    ? Effect.succeed(null)
    : bucket === undefined
      ? Effect.fail(gone)
      : Effect.tryPromise({ try: () => openLayer(bucket, packages.id), catch: () => gone }).pipe(
          Effect.flatMap((layer) => (layer === null ? Effect.fail(gone) : Effect.succeed(layer)))
        )

const bytesOf = ({ files }: BundlerOrder): number => {
  let bytes = 0
  for (const content of files.values()) bytes += content.byteLength
  return bytes
}

/** An order goes to its Worker in one message, and both hold it in memory. */
const tooLarge = (bytes: number): Answered => ({
  _tag: "Refused",
  problems: [
    problem(
      "source_bytes_over_limit",
      `The source has ${bytes} bytes; at most ${CloudflareLimits.buildOrderBytes} are built here.`
    )
  ]
})

const make = Effect.fnUntraced(function* (options: Options) {
  const slots = yield* Semaphore.make(CloudflareLimits.loaderBuildsAtOnce)
  const timeoutMs = options.timeoutMs ?? Limits.buildTimeoutMs
  const bundled = (order: BundlerOrder, layer: OpenLayer | null) => {
    const bytes = bytesOf(order)
    return bytes > CloudflareLimits.buildOrderBytes
      ? Effect.succeed(tooLarge(bytes))
      : inTime(timeoutMs, answered(options, { ...order, packageBytes: CloudflareLimits.loaderPackageBytes }, layer))
  }
  const run = (job: BuildJob) =>
    Effect.suspend(() => {
      let open: OpenLayer | null = null
      const opening = Effect.map(layerOf(options, job), (layer) => {
        open = layer
        return layer?.id ?? null
      })
      return runBuild(job, opening, (order) => bundled(order, open))
    })
  const builder = yield* makeBuilder({
    run,
    // Nothing is begun early: a Worker that waits is paid for.
    expect: () => Effect.void,
    drop: () => Effect.void,
    slots
  })
  const command = commandOf(options.commands)
  return AppBuilder.of({ ...builder, commandOf: (files) => Effect.sync(() => command(files)) })
})

/** Builds by Worker Loader. */
export const layer = (options: Options): Layer.Layer<AppBuilder> => Layer.effect(AppBuilder, make(options))
