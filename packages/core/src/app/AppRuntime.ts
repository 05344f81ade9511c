/**
 * Runs app versions, each apart from all others and from the host. Bodies are async iterables of bytes:
 * a Node stream and a web stream both are, so that each adapter streams in its own way.
 */
import { Context, type Effect, Schema } from "effect"

/** One app version. Versions with different ids never share an isolate or data. */
export interface AppVersion {
  /** `<project>@<commit>`, and for version and preview hosts `<project>@<commit>#<channel>`. */
  readonly id: string
  /** Whose app it is. */
  readonly project: string
  /** Which of its hosts is served. */
  readonly channel: string
  /** Key of the `bundle.json`. */
  readonly bundleKey: string
  /** SHA-256 of `bundle.json`. Another one is refused. */
  readonly bundleDigest: string
  /** Of its pointer row. An app that is deployed after a removal shares nothing with the one before, whatever its bundle. */
  readonly incarnation?: number
}

/** In the order in which they are sent; a name may come more than once. */
export type Headers = ReadonlyArray<readonly [name: string, value: string]>

/** A request, as the app gets it. The body is read at most once; null for none. */
export interface AppRequest {
  readonly method: string
  /** The whole URL as the visitor sees it. */
  readonly url: string
  readonly headers: Headers
  readonly body: AsyncIterable<Uint8Array> | null
}

/** A response, as the app gave it. The body is read at most once; null for none. */
export interface AppResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: AsyncIterable<Uint8Array> | null
}

/** The app threw, or its process died of its own doing. Answer 502. */
export class AppThrew extends Schema.TaggedError<AppThrew>()("AppThrew", {
  version: Schema.String,
  reason: Schema.String,
  /** Its process died; or its answer broke off, and no more is known. Not there when it threw what `reason` says. */
  how: Schema.optionalKey(Schema.Literals(["died", "broke_off"])),
  /** Where it threw, as the app's own files are named. */
  trace: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `The app ${this.version} threw: ${this.reason}`
  }
}

/** The app went over a bound and was stopped. Answer 503. */
export class AppOverLimit extends Schema.TaggedError<AppOverLimit>()("AppOverLimit", {
  version: Schema.String,
  /**
   * Which bound: time of the CPU, memory, subrequests, wall time, the answer, requests that wait, or starts that
   * failed.
   */
  limit: Schema.Literals(["cpu", "memory", "subrequests", "wall", "response", "busy", "crash_loop"]),
  /** When it may be asked again. */
  retryAfterSeconds: Schema.Finite
}) {
  override get message() {
    return `The app ${this.version} went over its bound of ${this.limit} and was stopped. Ask again in ${this.retryAfterSeconds} s.`
  }
}

/** The bundle is missing, damaged or not the one that was verified. Answer 503, never wrong bytes. */
export class BundleUnusable extends Schema.TaggedError<BundleUnusable>()("BundleUnusable", {
  version: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The bundle of ${this.version} cannot be served: ${this.reason}`
  }
}

/** The runtime itself cannot serve. Answer 503. */
export class AppRuntimeUnavailable extends Schema.TaggedError<AppRuntimeUnavailable>()("AppRuntimeUnavailable", {
  reason: Schema.String,
  /** True where what it needs to begin is away, which may come back. */
  away: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `The runtime of apps cannot serve: ${this.reason}`
  }
}

/** Starts versions as they are asked for. What they answer and print is not to be trusted. */
export class AppRuntime extends Context.Service<
  AppRuntime,
  {
    /** Sends one request to an app version, starting it if needed. Interrupting it drops the request. */
    readonly fetch: (
      version: AppVersion,
      request: AppRequest
    ) => Effect.Effect<AppResponse, AppThrew | AppOverLimit | BundleUnusable | AppRuntimeUnavailable>
    /** Stops an app version, if it runs. */
    readonly stop: (versionId: string) => Effect.Effect<void>
  }
>()("@pawl/core/app/AppRuntime") {}
