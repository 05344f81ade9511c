/**
 * `AppRuntime` by Worker Loader: each version in isolates of its own, without a network, with the bindings that it is
 * given and nothing else. Cloudflare decides how many there are, and when they go.
 */
import {
  AppOverLimit,
  type AppRequest,
  type AppResponse,
  AppRuntime,
  type AppRuntimeUnavailable,
  type AppVersion,
  BundleUnusable
} from "@pawl/core/app/AppRuntime"
import { type LoadedBundle, loadBundle } from "@pawl/core/app/LoadedBundle"
import type { BundleModule } from "@pawl/core/bundle/Bundle"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { textOf } from "@pawl/core/primitives/Utf8"
import { Effect, Layer, Result } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { failureOf } from "./OverLimits.ts"
import { chunksOf, streamOf } from "./Streams.ts"
import type { LoadedWorker, LoaderCode, LoaderModule, WorkerLoader } from "./WorkerLoader.ts"

/** What a runtime of apps is made with. */
export interface Options {
  readonly loader: WorkerLoader
  /** The `env` of a version: stubs that reach its own data and files alone. */
  readonly bindings: (version: AppVersion) => Readonly<Record<string, unknown>>
  /** Stubs of what is told of each call of a version, by `TailItem`s; none where it is left out. */
  readonly tails?: (version: AppVersion) => ReadonlyArray<unknown>
  /** What apps may turn on. A bundle with another flag is not served. */
  readonly compatibilityFlags: ReadonlySet<string>
}

const wholeBuffer = (bytes: Uint8Array): ArrayBuffer => bytes.slice().buffer

const moduleOf = (type: BundleModule["type"], bytes: Uint8Array): LoaderModule => {
  if (type === "data") return { data: wholeBuffer(bytes) }
  if (type === "wasm") return { wasm: wholeBuffer(bytes) }
  const text = textOf(bytes)
  if (type === "json") return { json: JSON.parse(text) as unknown }
  return type === "text" ? { text } : { js: text }
}

const codeOf = (
  { bundle, modules }: LoadedBundle,
  mainModule: string,
  around: Pick<LoaderCode, "env" | "tails">
): LoaderCode => ({
  compatibilityDate: bundle.compatibilityDate,
  compatibilityFlags: bundle.compatibilityFlags,
  mainModule,
  modules: Object.fromEntries(modules.map(([name, type, bytes]) => [name, moduleOf(type, bytes)])),
  ...around,
  globalOutbound: null
})

const requestTo = ({ body, headers, method, url }: AppRequest): Request =>
  new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body: body === null ? null : streamOf(body),
    redirect: "manual"
  })

/** Two cookies are two headers; all else that came twice is one by now. */
const responseOf = (response: Response): AppResponse => ({
  status: response.status,
  headers: [
    ...[...response.headers].filter(([name]) => name !== "set-cookie"),
    ...response.headers.getSetCookie().map((value) => ["set-cookie", value] as const)
  ],
  body: response.body === null ? null : chunksOf(response.body)
})

const limits = { cpuMs: CloudflareLimits.appCpuMs, subRequests: CloudflareLimits.appSubrequests }

/** What an app of files alone answers: its files were looked for before it is asked. */
const notFound = (): AppResponse => ({
  status: 404,
  headers: [["content-type", "text/plain; charset=utf-8"]],
  body: (async function* () {
    yield utf8("Not found\n")
  })()
})

type Unloaded = BundleUnusable | AppRuntimeUnavailable

const make = (
  { bindings, compatibilityFlags, loader, tails = () => [] }: Options,
  objects: typeof ObjectStore.Service
): typeof AppRuntime.Service => {
  /** How often a version was stopped here: whoever asks after that gets another isolate. */
  const stops = new Map<string, number>()
  /** Ids whose bundle was read and found good here, oldest first, and whether they have code. */
  const known = new Map<string, boolean>()

  const stop = (versionId: string): void => void stops.set(versionId, (stops.get(versionId) ?? 0) + 1)

  const idOf = ({ bundleDigest, id, incarnation = 0 }: AppVersion): string =>
    [id, incarnation, bundleDigest, stops.get(id) ?? 0].join("/")

  const know = (id: string, hasCode: boolean): void => {
    known.set(id, hasCode)
    for (const [oldest] of known) if (known.size > CloudflareLimits.appVersionsKnown) known.delete(oldest)
  }

  /** The code of a version, checked; null for an app of files alone. */
  const codeFor = Effect.fnUntraced(function* (version: AppVersion): Effect.fn.Return<LoaderCode | null, Unloaded> {
    const whole = yield* loadBundle(version, compatibilityFlags).pipe(Effect.provideService(ObjectStore, objects))
    const { mainModule } = whole.bundle
    if (mainModule === null) return null
    return yield* Effect.try({
      try: () => codeOf(whole, mainModule, { env: bindings(version), tails: tails(version) }),
      catch: (cause) => new BundleUnusable({ version: version.id, reason: cause instanceof Error ? cause.message : "" })
    })
  })

  /** Of an id that was good before the code is read again only where the loader asks for it. */
  const again = (version: AppVersion, id: string, failed: (why: Unloaded) => void) =>
    loader.get(id, async () => {
      const code = await Effect.runPromise(Effect.result(codeFor(version)))
      if (Result.isSuccess(code) && code.success !== null) return code.success
      // A callback that fails spoils the id: the next request gets another.
      known.delete(id)
      stop(version.id)
      if (Result.isFailure(code)) failed(code.failure)
      throw new Error("the code could not be read again")
    })

  const asked = (version: AppVersion, worker: LoadedWorker, request: AppRequest, whyUnloaded: () => Unloaded | null) =>
    Effect.tryPromise({
      try: () => worker.getEntrypoint(undefined, { limits }).fetch(requestTo(request)),
      catch: (cause) => whyUnloaded() ?? failureOf(version.id, cause)
    }).pipe(
      Effect.map(responseOf),
      Effect.timeoutOrElse({
        duration: CloudflareLimits.appWallMs,
        orElse: () => Effect.fail(new AppOverLimit({ version: version.id, limit: "wall", retryAfterSeconds: 1 }))
      })
    )

  const fetch: (typeof AppRuntime.Service)["fetch"] = Effect.fnUntraced(function* (version, request) {
    const id = idOf(version)
    const hasCode = known.get(id)
    if (hasCode === false) return notFound()
    if (hasCode === true) {
      let why: Unloaded | null = null
      const worker = again(version, id, (failure) => {
        why = failure
      })
      return yield* asked(version, worker, request, () => why)
    }
    // Before the loader is asked for the first time, so that a bundle that is not good spoils no id.
    const code = yield* codeFor(version)
    know(id, code !== null)
    if (code === null) return notFound()
    return yield* asked(
      version,
      loader.get(id, () => Promise.resolve(code)),
      request,
      () => null
    )
  })

  return { fetch, stop: (versionId) => Effect.sync(() => stop(versionId)) }
}

/** The runtime. It holds no isolate: the loader does. */
export const layer = (options: Options): Layer.Layer<AppRuntime, never, ObjectStore> =>
  Layer.effect(
    AppRuntime,
    Effect.map(ObjectStore, (objects) => make(options, objects))
  )
