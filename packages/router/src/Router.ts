/** One front door for every app: host to pointer, pointer to version, version to file or app. Whatever happens, it answers. */
import {
  type AppOverLimit,
  type AppRequest,
  type AppResponse,
  AppRuntime,
  type AppRuntimeUnavailable,
  type AppThrew,
  type AppVersion,
  type BundleUnusable
} from "@pawl/core/app/AppRuntime"
import { type AppHost, hostFor } from "@pawl/core/model/HostLabel"
import type { Channel } from "@pawl/core/model/Pointer"
import type { FoundPointer, PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import type { ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { Settings } from "@pawl/core/primitives/Settings"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { Assets } from "./Assets.ts"
import { cancelBody } from "./Body.ts"
import { requestHeaders, responseHeaders, valueOf, type Visitor, visitorOf } from "./Headers.ts"
import { type Address, KnownHosts } from "./KnownHosts.ts"
import { page, type PageRequest } from "./Pages.ts"
import { PointerCache } from "./PointerCache.ts"
import * as ReleaseChecks from "./ReleaseChecks.ts"
import { jsonPage, ReleaseStatement, statementPath } from "./ReleaseStatement.ts"
import { RunningVersions } from "./RunningVersions.ts"
import { isReserved, pointerRoute, siteRoute } from "./Routes.ts"
import * as Settled from "./Settled.ts"

/** A request as a front received it. `url` may hold any origin: `host`, `secure` and the trusted proxy decide. */
export interface FrontRequest extends AppRequest {
  /** The one `Host` header. */
  readonly host: string
  /** The address of the other end of the connection. */
  readonly remoteAddress: string
  /** Whether the connection itself was TLS. */
  readonly secure: boolean
}

/** Why there is no answer of the app itself. */
export type Unserved =
  | AppThrew
  | AppOverLimit
  | BundleUnusable
  | AppRuntimeUnavailable
  | PointerSourceUnavailable
  | ObjectStoreUnavailable

/** A failure of any part is a page of its own: the router itself never fails. */
export class Router extends Context.Service<
  Router,
  {
    /**
     * Answers a request to any host: an app's response, a static file, or a page that says why there is neither. Where
     * everything is in memory it answers at once: the effect has succeeded, and there is nothing to run.
     */
    readonly handle: (request: FrontRequest) => Effect.Effect<AppResponse>
    /** As `handle` for one GET to an app, past the pointer cache, and with what failed in the open. */
    readonly ask: (label: string, channel: Channel, path: string) => Effect.Effect<AppResponse, Unserved>
    /** Pointers of a label moved: versions that ran here and whose pointer is removed are stopped. */
    readonly stopRemoved: (label: string) => Effect.Effect<void>
    /** The hosts of apps, as they were read; null where no apps are served. */
    readonly hosts: KnownHosts | null
  }
>()("@pawl/router/Router") {}

/** What the router must know of the installation. */
export interface RouterOptions {
  /** Where the API and console are, without a path: the apex of the apps domain sends there. */
  readonly apiOrigin: string
  /** Believe the `X-Forwarded-*` of whoever connects. Default: no. */
  readonly trustProxy?: boolean
  /** Credentials of Pawl that do not begin with `pawl_`: no app gets them either. */
  readonly credentials?: ReadonlyArray<Redacted.Redacted>
}

/** One visit to one app, with its address settled. */
interface Visit {
  readonly app: AppHost
  readonly address: Address
  readonly visitor: Visitor
  readonly request: AppRequest
}

/** The page of a failure. Each says when to come back, if ever. */
export const failurePage = (failure: Unserved, request: PageRequest): AppResponse => {
  switch (failure._tag) {
    case "AppThrew":
      return page("threw", request)
    case "AppOverLimit":
      return page("overLimit", { ...request, retryAfterSeconds: failure.retryAfterSeconds, limit: failure.limit })
    case "BundleUnusable":
    case "AppRuntimeUnavailable":
    case "PointerSourceUnavailable":
    case "ObjectStoreUnavailable":
      return page("unavailable", request)
  }
}

const bodiless = new Set([204, 205, 304])

/** What of an app's response may leave. An app cannot switch protocols or answer outside HTTP. */
const fromApp = (response: AppResponse, visit: Visit): AppResponse => {
  const { request, visitor } = visit
  if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599) {
    cancelBody(response.body)
    return page("threw", { method: request.method, host: visitor.host })
  }
  const noBody = request.method === "HEAD" || bodiless.has(response.status)
  if (noBody) cancelBody(response.body)
  const kept = responseHeaders(response.headers)
  const headers =
    response.status === 204 || response.status === 205 ? kept.filter(([name]) => name !== "content-length") : kept
  return { status: response.status, headers, body: noBody ? null : response.body }
}

/** Only production is for search engines. */
const marked = (response: AppResponse, channel: Channel): AppResponse =>
  channel === "production" || valueOf(response.headers, "x-robots-tag") !== undefined
    ? response
    : { ...response, headers: [...response.headers, ["x-robots-tag", "noindex"]] }

/** The origin that a front writes in the place of the real one. */
export const anyOrigin = "http://host"

/** The path and query of an absolute URL, as written, without a fragment. */
const pathOf = (url: string): string => {
  if (url.startsWith(`${anyOrigin}/`) && !url.includes("#")) return url.slice(anyOrigin.length)
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*/i, "").replace(/#.*$/s, "")
  return /^[/\\]/.test(rest) ? rest : `/${rest}`
}

const nobody = { _tag: "Nobody" } as const

interface Ports {
  readonly releases: ReleaseChecks.ReleaseChecks
  readonly statement: typeof ReleaseStatement.Service
  readonly pointers: typeof PointerCache.Service
  readonly assets: typeof Assets.Service
  readonly runtime: typeof AppRuntime.Service
  readonly running: RunningVersions
  readonly credentials: ReadonlyArray<string>
}

/** A version's own answer: a file, or the app's, or the page that says there is neither. */
const serveVersion = (ports: Ports, visit: Visit, version: AppVersion): Effect.Effect<AppResponse, Unserved> =>
  Settled.flatMap(ports.assets.site(version), (site): Effect.Effect<AppResponse, Unserved> => {
    const { address, app, request, visitor } = visit
    const { hostname, pathname, search } = address
    const navigates = valueOf(request.headers, "sec-fetch-mode")?.trim() === "navigate"
    const route = siteRoute(site, { method: request.method, pathname, search, hostname }, navigates)
    if (route._tag === "Nothing") return Effect.succeed(page("noPath", { method: request.method, host: visitor.host }))
    if (route._tag !== "App")
      return Settled.map(ports.assets.respond(version, route, request), (response) => marked(response, app.channel))
    ports.running.note(app.label, app.channel, version.id)
    const forwarded: AppRequest = {
      method: request.method,
      url: address.href,
      headers: requestHeaders(request.headers, visitor, ports.credentials),
      body: request.body
    }
    return Effect.map(ports.runtime.fetch(version, forwarded), (response) =>
      marked(fromApp(response, visit), app.channel)
    )
  })

const serve = (
  ports: Ports,
  visit: Visit,
  find: Effect.Effect<FoundPointer, Unserved>
): Effect.Effect<AppResponse, Unserved> => {
  const { address, request, visitor } = visit
  const asked = { method: request.method, host: visitor.host }
  if (isReserved(address.pathname)) {
    if (address.pathname !== statementPath) return Effect.succeed(page("noPath", asked))
    return Effect.flatMap(find, (row) => statementAnswer(ports, row, asked, valueOf(request.headers, "authorization")))
  }
  return Settled.flatMap(find, (row) => {
    const route = pointerRoute(row)
    if (route._tag === "Page") return Effect.succeed(page(route.page, asked))
    return Settled.flatMap(ports.releases.mayServe(route.row), (may) =>
      may ? serveVersion(ports, visit, route.version) : Effect.succeed(page("notVerified", asked))
    )
  })
}

/** What a host says of what it serves; nothing where it serves nothing, or nobody is to be told. */
const statementAnswer = (ports: Ports, row: FoundPointer, asked: PageRequest, authorization: string | undefined) =>
  Effect.gen(function* () {
    const route = pointerRoute(row)
    if (route._tag === "Page" || (asked.method !== "GET" && asked.method !== "HEAD")) return page("noPath", asked)
    const text = yield* ports.statement.of(route.row, yield* ports.releases.verdict(route.row), authorization)
    return text === null ? page("noPath", asked) : jsonPage(text, asked.method)
  })

/** Turns what went wrong into a page; the impossible is logged, and answered too. */
const paged = (
  serves: () => Effect.Effect<AppResponse, Unserved>,
  request: PageRequest
): Effect.Effect<AppResponse> => {
  const undone = (defect: unknown) =>
    Effect.as(Effect.logError("The router could not answer", defect), page("unavailable", request))
  try {
    const served = serves()
    if (Settled.isSettled(served) && Exit.isSuccess(served)) return Effect.succeed(served.value)
    return served.pipe(
      Effect.catch((failure) => Effect.succeed(failurePage(failure, request))),
      Effect.catchDefect(undone)
    )
  } catch (defect) {
    return undone(defect)
  }
}

const make = Effect.fnUntraced(function* (options: RouterOptions) {
  const ports: Ports = {
    pointers: yield* PointerCache,
    releases: yield* ReleaseChecks.make,
    statement: yield* ReleaseStatement,
    assets: yield* Assets,
    runtime: yield* AppRuntime,
    running: new RunningVersions(),
    credentials: (options.credentials ?? []).map(Redacted.value)
  }
  const { appsDomain, appUrl } = yield* Settings

  const hosts = appsDomain === null ? null : new KnownHosts(appsDomain)

  const handle = (request: FrontRequest): Effect.Effect<AppResponse> => {
    const { method } = request
    const asked = visitorOf(request, options.trustProxy === true)
    const known = hosts === null ? nobody : hosts.of(asked.host)
    if (known._tag === "Apex") {
      const headers = [["location", `${options.apiOrigin}/`] as const, ["content-length", "0"] as const]
      return Effect.succeed({ status: 301, headers, body: null })
    }
    if (known._tag === "Nobody") return Effect.succeed(page("noApp", { method }))
    const { app, host } = known
    const address = known.address(asked.secure, pathOf(request.url))
    if (address === null) return Effect.succeed(page("noApp", { method }))
    const visit: Visit = { app, address, visitor: { ...asked, host }, request }
    return paged(() => serve(ports, visit, ports.pointers.find(app.label, app.channel)), { method, host })
  }

  const ask = (label: string, channel: Channel, path: string): Effect.Effect<AppResponse, Unserved> => {
    const base = new URL(appUrl(hostFor(label, channel, appsDomain ?? "")))
    const visitor: Visitor = {
      host: base.host,
      secure: base.protocol === "https:",
      address: "127.0.0.1",
      forwardedFor: "127.0.0.1"
    }
    const url = new URL(`${base.origin}${path}`)
    const headers = [["accept", "*/*"] as const, ["user-agent", "pawl-probe"] as const]
    const request: AppRequest = { method: "GET", url: url.href, headers, body: null }
    const visit: Visit = { app: { label, channel }, address: url, visitor, request }
    return serve(ports, visit, ports.pointers.findFresh(label, channel))
  }

  const stopRemoved = (label: string): Effect.Effect<void> =>
    Effect.forEach(
      ports.running.of(label),
      (one) =>
        Effect.flatMap(ports.pointers.findFresh(one.label, one.channel), (row) => {
          if (pointerRoute(row)._tag === "Version") return Effect.void
          ports.running.forget(one)
          return ports.runtime.stop(one.versionId)
        }),
      { discard: true }
      // Whoever asks for the host is told that it is gone; what runs ends by itself when nobody asks for a while.
    ).pipe(Effect.catchTag("PointerSourceUnavailable", () => Effect.void))

  return Router.of({ handle, ask, stopRemoved, hosts })
})

/** Over pointers, files and the runtime of apps. */
export const layer = (options: RouterOptions): Layer.Layer<Router, never, PointerCache | Assets | AppRuntime> =>
  Layer.effect(Router, make(options))
