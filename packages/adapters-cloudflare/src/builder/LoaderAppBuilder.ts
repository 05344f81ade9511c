/**
 * Builds apps with esbuild as WebAssembly, each in a Worker of its own that Worker Loader makes for this one build: no
 * network, no binding, bounded CPU time, and never used again. A source that crashes the bundler touches no other.
 */
import type { WorkerLoader, WorkerLoaderWorkerCode } from "@cloudflare/workers-types"
import { AppBuilder, BuilderUnavailable, type BuildJob } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import { BundlerAnswer, type BundlerOrder } from "@pawl/adapters-local/builder/bundler/BundlerMessages"
import { problem } from "@pawl/adapters-local/builder/bundler/BundlerProblem"
import { type Answered, inTime, runBuild } from "@pawl/adapters-local/builder/bundler/BuildRun"
import { makeBuilder } from "@pawl/adapters-local/builder/bundler/BuildTable"
import { Effect, Layer, Schema, Semaphore } from "effect"
import { commandOf } from "./BuildCommands.ts"
import type { answer } from "./BundlerAnswers.ts"
import { CloudflareLimits } from "../CloudflareLimits.ts"

/** What the Worker of a build is loaded from; `deploy/Bundler.ts` makes it. */
export interface BundlerModules {
  /** The code that answers orders, as one module. */
  readonly code: string
  /** esbuild, of the version that `bundler` names. */
  readonly wasm: ArrayBuffer | WebAssembly.Module
  /** Texts of the packages that come along, by path, as JSON. */
  readonly packages: string
}

/** Where builds run, and how they are bounded. */
export interface Options {
  readonly loader: WorkerLoader
  readonly modules: BundlerModules
  /** Whether something here runs build commands. Without, a source that needs one is refused in words. */
  readonly commands: boolean
  /** Wall time of one build, in milliseconds. */
  readonly timeoutMs?: number
}

const codeOf = ({ code, packages, wasm }: BundlerModules): WorkerLoaderWorkerCode => ({
  compatibilityDate: "2026-07-01",
  // Real login is looked for in compressed pages too, with Node's zlib.
  compatibilityFlags: ["nodejs_compat"],
  mainModule: "bundler.js",
  modules: {
    "bundler.js": { js: code },
    "esbuild.wasm": { wasm },
    "packages.json": { json: JSON.parse(packages) }
  },
  globalOutbound: null,
  limits: { cpuMs: CloudflareLimits.buildCpuMs, subRequests: 0 }
})

interface Bundling {
  readonly answer: (order: BundlerOrder) => ReturnType<typeof answer>
}

const isBundling = (entry: object): entry is Bundling => "answer" in entry

/** What a Worker died of, in words. What it threw is the source's own doing, and is not repeated. */
const reasonOf = (error: unknown): string => {
  const said = error instanceof Error ? error.message : ""
  if (/memory/i.test(said)) return "The bundler ran out of memory."
  if (/CPU/.test(said)) return `The build took more than ${CloudflareLimits.buildCpuMs} ms of CPU time.`
  return "The bundler ended by itself: some of the source may be nested too deeply, or it needs too much memory."
}

const answered = (options: Options, order: BundlerOrder): Effect.Effect<Answered> =>
  Effect.promise(async () => {
    try {
      // No name: nothing ever gets this Worker again.
      const entry = options.loader.load(codeOf(options.modules)).getEntrypoint()
      if (!isBundling(entry)) throw new Error("the Worker of a build takes no orders")
      const said = Schema.decodeUnknownSync(BundlerAnswer)(await entry.answer(order))
      return said._tag === "Died" ? { _tag: "Died", reason: reasonOf(null) } : said
    } catch (error) {
      return { _tag: "Died", reason: reasonOf(error) }
    }
  })

/** Nothing keeps the packages of a lock file here yet. */
const layerOf = ({ packages }: BuildJob): Effect.Effect<null, BuilderUnavailable> =>
  packages === undefined
    ? Effect.succeed(null)
    : Effect.fail(new BuilderUnavailable({ reason: "the packages of the lock file are not kept here" }))

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
  const bundled = (order: BundlerOrder) => {
    const bytes = bytesOf(order)
    return bytes > CloudflareLimits.buildOrderBytes
      ? Effect.succeed(tooLarge(bytes))
      : inTime(timeoutMs, answered(options, order))
  }
  const builder = yield* makeBuilder({
    run: (job) => runBuild(job, layerOf(job), bundled),
    // Nothing is begun early: a Worker that waits is paid for.
    expect: () => Effect.void,
    drop: () => Effect.void,
    slots
  })
  return AppBuilder.of({ ...builder, commandOf: commandOf(options.commands) })
})

/** Builds by Worker Loader. */
export const layer = (options: Options): Layer.Layer<AppBuilder> => Layer.effect(AppBuilder, make(options))
