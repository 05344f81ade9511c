/** The HTTP API as a listener of a Node server. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { Connection } from "../../http/request/Connection.ts"
import { appHostsOf } from "../../http/console/ConsoleHeaders.ts"
import { ApiSettings, type HttpServices, MachineFindings, mountHttpApp, Readiness } from "../../http/index.ts"
import { IdentityProvider } from "../../http/IdentityProvider.ts"
import * as RateLimits from "../../http/request/RateLimits.ts"
import { consoleFolder } from "../console/ConsoleFiles.ts"
import * as ConsoleListener from "../console/ConsoleListener.ts"
import { prefix } from "../../git/GitPath.ts"
import * as GitListener from "../git/GitListener.ts"
import * as OidcProvider from "../../identity/OidcProvider.ts"
import * as McpListener from "../mcp/McpListener.ts"
import { ownAddress } from "../mcp/OwnAddress.ts"
import { notHere } from "./Listener.ts"
import type { Options } from "../Options.ts"
import * as Readers from "../Readers.ts"
import { readOn } from "./ReadOn.ts"
import { version } from "../Version.ts"
import { addressOf } from "./VisitorAddress.ts"

/** The listener of a process without the role `api`: it answers its health, and nothing else. */
export const health =
  ({ environment }: Options, readiness: (typeof Readiness)["Service"]): RequestListener =>
  (req, res) => {
    const asked = /^\/health(\/ready)?(\?|$)/.exec(req.url ?? "")
    if (asked === null) return notHere(res, "the API", "api")
    const answer = (status: number, body: unknown) => {
      res.writeHead(status, { "content-type": "application/json" })
      res.end(JSON.stringify(body))
    }
    if (asked[1] === undefined) return answer(200, { status: "ok", version, environment })
    Effect.runCallback(readiness, {
      onExit: (exit) => {
        const state = Exit.isSuccess(exit) ? exit.value : { status: "not_ready", missing: ["an answer"] }
        answer(state.status === "ready" ? 200 : 503, state)
      }
    })
  }

type NodeExchange = { readonly req: IncomingMessage; readonly res: ServerResponse }

/** What Node made of a request that came through `serving`. HTTP/2 is not spoken here. */
const exchangeOf = (request: HttpServerRequest.HttpServerRequest): NodeExchange => ({
  req: NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage,
  res: NodeHttpServerRequest.toServerResponse(request) as ServerResponse
})

/** The connection of a request that came through `serving`. */
const connections =
  (readers: Readers.Readers) =>
  (request: HttpServerRequest.HttpServerRequest): Connection => {
    const { res } = exchangeOf(request)
    return {
      whenOver: (then) => void (res.closed ? then() : res.once("close", then)),
      isAwaited: (see) => readers.isAwaited(res, see),
      cut: () => void res.destroy()
    }
  }

type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * A listener that answers by the app, at the pace of those who read, and hears out those who send. When the scope
 * closes, the requests that are under way end.
 */
export const serving = Effect.fnUntraced(function* (app: App, readers: Readers.Readers, trustProxy: boolean) {
  const seen = Effect.flatMap(HttpServerRequest.HttpServerRequest, (given) => {
    const { req, res } = exchangeOf(given)
    const answer = (response: HttpServerResponse.HttpServerResponse) => {
      readOn(req, res)
      return response
    }
    if (!trustProxy) return Effect.map(app, answer)
    // The address that the caller counts by.
    const request = given.modify({ remoteAddress: Option.some(addressOf(req, trustProxy)) })
    return Effect.map(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request), answer)
  })
  const handler = yield* NodeHttpServer.makeHandler(seen, { scope: yield* Effect.scope }).pipe(
    // The app makes a span of its own, from less of the request than the library would.
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
  )
  return (req: IncomingMessage, res: ServerResponse): void => {
    readers.watch(res)
    handler(req, res)
  }
})

/** What a request adds to the context that all begin with is fewer: more would copy all of that for each of them. */
const addedPerRequest = 24

/** Where the API is reached: by people, and from this process itself. */
export interface Reached {
  readonly origin: string
  readonly port: number
}

/** The doctor is asked for by few, and looks at parts that this process may not have. */
const findings = (options: Options) =>
  Effect.flatMap(
    Effect.promise(() => import("../Doctor.ts")),
    ({ findingsOf }) => findingsOf(options)
  )

/** The listener of the API, of the console, of git and of tools of models. `requests` is the scope of the requests that are under way. */
export const make = Effect.fnUntraced(function* (
  options: Options,
  readiness: (typeof Readiness)["Service"],
  requests: Scope.Scope,
  { origin, port }: Reached
) {
  const { accessLog, apiRatePerMinute: requestsPerMinute, environment, trustProxy } = options
  const readers = yield* Readers.make
  const connectionOf = connections(readers)
  const settings = { version, environment, requestsPerMinute, accessLog, connectionOf, origin }
  // A caller's requests to git and to the API count together.
  const own = Context.make(ApiSettings, settings)
  const rates = yield* Layer.build(Layer.provide(RateLimits.layer, Layer.succeedContext(own)))
  const provided = Context.make(Readiness, readiness).pipe(
    Context.add(MachineFindings, findings(options)),
    Context.merge(rates),
    Context.add(IdentityProvider, options.oidc === null ? null : OidcProvider.make(options.oidc, origin))
  )
  const { app, services } = yield* Effect.provide(mountHttpApp(settings), provided)
  const handler = yield* serving(app, readers, trustProxy).pipe(
    Scope.provide(requests),
    Effect.updateContext((given: Context.Context<never>) =>
      Context.makeUnsafe<HttpServices>(Context.merge(given, services).mapUnsafe, { maxDepth: addedPerRequest })
    )
  )
  const git = yield* Effect.provide(GitListener.make(readers, trustProxy), Context.merge(provided, own))
  const { host, mcpTools } = options
  const issuer = options.oidc?.issuer ?? null
  const mcp =
    mcpTools === "none"
      ? null
      : McpListener.make({ baseUrl: ownAddress(host, port), origin, version, choice: mcpTools, issuer })
  const screens = options.console ? ConsoleListener.make(consoleFolder(), appHostsOf(origin, options.appsDomain)) : null
  const listener: RequestListener = (req, res) => {
    if (screens?.(req, res) === true) return
    if (mcp !== null && McpListener.isMcp(req.url)) return mcp(req, res)
    return req.url?.startsWith(prefix) === true ? git.handle(req, res) : handler(req, res)
  }
  return listener
})
