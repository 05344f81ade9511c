/** The API as one HTTP app: portable, so that any server can mount it. It never fails: every end is an answer. */
import { Context, Effect, Layer, Option, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { administering } from "../api/Needs.ts"
import { PawlApi } from "../api/PawlApi.ts"
import * as Admission from "./request/Admission.ts"
import { AccountHttp } from "./groups/AccountHttp.ts"
import * as Answering from "./answer/Answering.ts"
import { ApiSettings } from "./ApiSettings.ts"
import { ApprovalsHttp } from "./groups/ApprovalsHttp.ts"
import { AppsHttp } from "./groups/AppsHttp.ts"
import { AuditsHttp } from "./groups/AuditsHttp.ts"
import * as BearerAuthentication from "./request/BearerAuthentication.ts"
import { CandidatesHttp } from "./groups/CandidatesHttp.ts"
import { ChangeSetsHttp } from "./groups/ChangeSetsHttp.ts"
import { ChangesHttp } from "./groups/ChangesHttp.ts"
import { DeadLettersHttp } from "./groups/DeadLettersHttp.ts"
import type { ConnectionOf } from "./request/Connection.ts"
import * as DiffSlots from "./groups/DiffSlots.ts"
import * as Documentation from "./Documentation.ts"
import * as Endpoints from "./request/Endpoints.ts"
import { EventsHttp } from "./groups/EventsHttp.ts"
import * as EventStreams from "./answer/EventStreams.ts"
import { Exchange, type ExchangeShape } from "./request/Exchange.ts"
import { HistoryHttp } from "./groups/HistoryHttp.ts"
import { jsonRequest } from "./request/JsonRequest.ts"
import { MembersHttp } from "./groups/MembersHttp.ts"
import { OrganizationsHttp } from "./groups/OrganizationsHttp.ts"
import { PoliciesHttp } from "./groups/PoliciesHttp.ts"
import { observing } from "./request/Observing.ts"
import { noSuchMethod, noSuchPath } from "./answer/Problems.ts"
import { ProjectsHttp } from "./groups/ProjectsHttp.ts"
import * as RateLimits from "./request/RateLimits.ts"
import { answerCause, problemResponse, withHeaders } from "./answer/Rendering.ts"
import { ReleasesHttp } from "./groups/ReleasesHttp.ts"
import { RollbacksHttp } from "./groups/RollbacksHttp.ts"
import { ServiceHttp } from "./groups/ServiceHttp.ts"
import { paced } from "./request/Unread.ts"
import { UsersHttp } from "./groups/UsersHttp.ts"
import { WebhooksHttp } from "./groups/WebhooksHttp.ts"

const groups = Layer.mergeAll(
  ServiceHttp,
  ProjectsHttp,
  AppsHttp,
  ChangesHttp,
  ChangeSetsHttp,
  CandidatesHttp,
  ApprovalsHttp,
  ReleasesHttp,
  RollbacksHttp,
  AuditsHttp,
  PoliciesHttp,
  MembersHttp,
  EventsHttp,
  HistoryHttp,
  DeadLettersHttp,
  WebhooksHttp,
  AccountHttp,
  OrganizationsHttp,
  UsersHttp
).pipe(Layer.provide(BearerAuthentication.layer), Layer.provide(Answering.layer))

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(PawlApi, { openapiPath: "/openapi.json" }).pipe(Layer.provide(groups)),
  Documentation.layer
).pipe(Layer.provide(HttpServer.layerServices))

/** What the requests of one app share. */
const shared = Layer.mergeAll(DiffSlots.layer, EventStreams.layer)

/** Ids of dead letters and ChangeSets are longer than what the router takes for a parameter by itself. */
const longestParameter = 500

/** Well-formed ids of callers are kept, so that their logs and ours meet. */
const requestIdOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> => {
  const given = request.headers["x-request-id"]
  return given !== undefined && /^[A-Za-z0-9._-]{8,100}$/.test(given)
    ? Effect.succeed(given)
    : Effect.map(makeUlid, (id) => `req_${id}`)
}

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

const administers = ({ method, need }: Endpoints.Endpoint): boolean => method !== "GET" && need?.scope === "admin"

interface Mounted {
  readonly streams: EventStreams.OpenStreams["Service"]
  readonly accessLog: boolean
  readonly admission: Admission.Admission
  readonly connectionOf: ConnectionOf | undefined
}

/** Where nothing else is known of a connection: the answer is over when the request's scope closes. */
const scoped = Effect.map(
  Effect.all([Effect.scope, Effect.context<never>()]),
  ([scope, context]): ConnectionOf =>
    () => ({
      whenOver: (then) => Effect.runSyncWith(context)(Scope.addFinalizer(scope, Effect.sync(then))),
      isAwaited: () => {},
      cut: () => {}
    })
)

/** Finds the endpoint, lets it answer, and makes an answer of whatever comes instead. */
const exchange = Effect.fnUntraced(function* <R>(
  router: Answer<R | HttpServerRequest.HttpServerRequest>,
  { accessLog, admission, connectionOf, streams }: Mounted
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const connection = (connectionOf ?? (yield* scoped))(request)
  const requestId = yield* requestIdOf(request)
  const found = Endpoints.find(request.method, request.url)
  const path = request.url.split("?", 1)[0] ?? ""
  if (!("endpoint" in found)) {
    const problem = found.length === 0 ? noSuchPath(path) : noSuchMethod(request.method, found)
    const refused = Effect.succeed(withHeaders(problemResponse(problem, requestId), requestId, path))
    return yield* observing(refused, { requestId, route: "unknown", state: null, accessLog })
  }
  const { endpoint, id } = found
  const state: ExchangeShape = {
    requestId,
    path: endpoint.path,
    id,
    need: endpoint.need ?? administering,
    reached: {},
    userId: null,
    place: null,
    enter: (caller) =>
      admission.enter(caller, (place) => {
        state.place = place
        connection.whenOver(place.leave)
      }),
    isAwaited: connection.isAwaited,
    answer: endpoint.answer,
    handled: false
  }
  const asked =
    endpoint.need === null ? Effect.andThen(state.enter(RateLimits.strangerAt(request.remoteAddress)), router) : router
  const answer = asked.pipe(
    Effect.catchCause(answerCause),
    Effect.provideService(HttpServerRequest.HttpServerRequest, jsonRequest(request, endpoint.bodyLimit)),
    Effect.provideService(Exchange, state),
    Effect.annotateLogs({ endpoint: endpoint.name }),
    // Whatever is administered may have ended somebody's right to read.
    Effect.tap(() => (administers(endpoint) && state.handled ? EventStreams.lookAgain(streams) : Effect.void)),
    Effect.map((given) => paced(withHeaders(given, requestId, path), state.place, connection))
  )
  return yield* observing(answer, { requestId, route: endpoint.path, state, accessLog })
  // Only an interruption is left: the caller is gone.
}, Effect.catch(Effect.die))

type Needed = Layer.Services<typeof routes>

/** What the API needs of the installation. */
export type HttpServices = Exclude<
  HttpRouter.Request.Without<Needed> | HttpRouter.Request.Only<"Requires", Needed>,
  | HttpRouter.HttpRouter
  | ApiSettings
  | RateLimits.RateLimits
  | Layer.Success<typeof shared>
  | HttpServerRequest.HttpServerRequest
>

/** What comes with each request. */
type Asked = HttpServerRequest.HttpServerRequest | Scope.Scope

/** One request to the app. It never fails: every end is an answer. */
export type HttpApp = Effect.Effect<HttpServerResponse.HttpServerResponse, never, Asked>

/** Builds the app. Its scope is the server's: when it closes, open event streams end. */
export const makeHttpApp = Effect.fnUntraced(function* (
  settings: ApiSettings["Service"]
): Effect.fn.Return<HttpApp, never, HttpServices | Scope.Scope> {
  const own = Layer.succeed(ApiSettings, settings)
  // Whoever serves more than the API counts all of a caller's requests together.
  const rates = Option.match(yield* Effect.serviceOption(RateLimits.RateLimits), {
    onNone: () => Layer.provide(RateLimits.layer, own),
    onSome: (given) => Layer.succeed(RateLimits.RateLimits, given)
  })
  const held = yield* Layer.build(Layer.mergeAll(shared, rates, own))
  const context = Context.merge(yield* Effect.context<HttpServices>(), held)
  const router = yield* HttpRouter.toHttpEffect(routes).pipe(
    Effect.provideService(HttpRouter.RouterConfig, { maxParamLength: longestParameter }),
    Effect.provideContext(context)
  )
  const { accessLog, connectionOf } = settings
  const streams = Context.get(held, EventStreams.OpenStreams)
  const mounted = { accessLog: accessLog === true, admission: Admission.make(), connectionOf, streams }
  // What a request brings along wins over what was there when the server started: its scope, the words of its log.
  const routed = Effect.updateContext(router, (given: Context.Context<Asked>) => Context.merge(context, given))
  // Whoever calls may leave at any point; the library alone would let them only once the endpoint is found.
  return Effect.interruptible(exchange(routed, mounted))
})
