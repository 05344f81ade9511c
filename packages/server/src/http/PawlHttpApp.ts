/** The API as one HTTP app: portable, so that any server can mount it. It never fails: every end is an answer. */
import { Context, Effect, Layer, Option, References, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ServerLimits } from "../ServerLimits.ts"
import { administering } from "../api/Needs.ts"
import { PawlApi } from "../api/PawlApi.ts"
import * as Admission from "./request/Admission.ts"
import { AccountHttp } from "./groups/AccountHttp.ts"
import * as HandlerAnswer from "./answer/HandlerAnswer.ts"
import { ApiSettings } from "./ApiSettings.ts"
import { ApprovalsHttp } from "./groups/ApprovalsHttp.ts"
import { AppsHttp } from "./groups/AppsHttp.ts"
import { ReviewsHttp } from "./groups/ReviewsHttp.ts"
import { ClaimsHttp } from "./groups/ClaimsHttp.ts"
import { AuditsHttp } from "./groups/AuditsHttp.ts"
import * as BearerAuthentication from "./request/BearerAuthentication.ts"
import { CandidatesHttp } from "./groups/CandidatesHttp.ts"
import { ChangeSetsHttp } from "./groups/ChangeSetsHttp.ts"
import { ChangesHttp } from "./groups/ChangesHttp.ts"
import { DeviceAnswersHttp, DevicesHttp } from "./groups/DevicesHttp.ts"
import { DeadLettersHttp } from "./groups/DeadLettersHttp.ts"
import type { Connection, ConnectionOf } from "./request/Connection.ts"
import * as DiffSlots from "./groups/DiffSlots.ts"
import * as Documentation from "./Documentation.ts"
import * as Endpoints from "./request/Endpoints.ts"
import { EventsHttp } from "./groups/EventsHttp.ts"
import * as EventStreams from "./answer/EventStreams.ts"
import { Exchange, type ExchangeShape } from "./request/Exchange.ts"
import { FlakesHttp } from "./groups/FlakesHttp.ts"
import { InboxHttp } from "./groups/InboxHttp.ts"
import { HistoryHttp } from "./groups/HistoryHttp.ts"
import { jsonRequest } from "./request/JsonRequest.ts"
import { LaneHttp } from "./groups/LaneHttp.ts"
import { MembersHttp } from "./groups/MembersHttp.ts"
import { OrganizationsHttp } from "./groups/OrganizationsHttp.ts"
import { OutsideHttp } from "./groups/OutsideHttp.ts"
import { PoliciesHttp } from "./groups/PoliciesHttp.ts"
import { observing } from "./request/RequestObserver.ts"
import { noSuchMethod, noSuchPath } from "./answer/Problems.ts"
import { ProjectsHttp } from "./groups/ProjectsHttp.ts"
import * as RateLimits from "./request/RateLimits.ts"
import { requestIdFor } from "@pawl/core/primitives/RequestId"
import { answerCause, problemResponse, withHeaders } from "./answer/ProblemResponse.ts"
import { ReleasesHttp } from "./groups/ReleasesHttp.ts"
import { RollbacksHttp } from "./groups/RollbacksHttp.ts"
import { SessionsHttp } from "./groups/SessionsHttp.ts"
import { SignInHttp } from "./groups/SignInHttp.ts"
import { ServiceHttp } from "./groups/ServiceHttp.ts"
import { KeysHttp, StatementsHttp } from "./groups/StatementsHttp.ts"
import { SystemHttp } from "./groups/SystemHttp.ts"
import { TasksHttp } from "./groups/TasksHttp.ts"
import * as PlainReads from "./request/PlainReads.ts"
import { paced } from "./request/PacedAnswer.ts"
import { ApproversHttp } from "./groups/ApproversHttp.ts"
import { UsersHttp } from "./groups/UsersHttp.ts"
import { validated } from "./answer/Validators.ts"
import { WebhooksHttp } from "./groups/WebhooksHttp.ts"

const groups = Layer.mergeAll(
  ServiceHttp,
  ProjectsHttp,
  AppsHttp,
  ChangesHttp,
  TasksHttp,
  OutsideHttp,
  ChangeSetsHttp,
  CandidatesHttp,
  ApprovalsHttp,
  ReleasesHttp,
  RollbacksHttp,
  AuditsHttp,
  FlakesHttp,
  LaneHttp,
  StatementsHttp,
  KeysHttp,
  ClaimsHttp,
  ReviewsHttp,
  PoliciesHttp,
  MembersHttp,
  EventsHttp,
  HistoryHttp,
  DeadLettersHttp,
  WebhooksHttp,
  AccountHttp,
  InboxHttp,
  SignInHttp,
  SessionsHttp,
  DevicesHttp,
  DeviceAnswersHttp,
  OrganizationsHttp,
  UsersHttp,
  ApproversHttp,
  SystemHttp
).pipe(Layer.provide(BearerAuthentication.layer), Layer.provide(HandlerAnswer.layer))

/** `built` is told the groups. */
const routesOf = (built: (services: Context.Context<Layer.Success<typeof groups>>) => void) =>
  Layer.mergeAll(
    Layer.mergeAll(
      HttpApiBuilder.layer(PawlApi, { openapiPath: "/openapi.json" }),
      Layer.effectDiscard(Effect.map(Effect.context<Layer.Success<typeof groups>>(), built))
    ).pipe(Layer.provide(groups)),
    Documentation.layer
  ).pipe(Layer.provide(HttpServer.layerServices))

/** What the requests of one app share. */
const shared = Layer.mergeAll(DiffSlots.layer, EventStreams.layer)

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

/** What answers a request at an endpoint. */
type Routed<R> = (
  found: Endpoints.Found,
  request: HttpServerRequest.HttpServerRequest
) => Answer<R | HttpServerRequest.HttpServerRequest>

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

/** What is known of a request before its endpoint runs. */
const stateOf = (
  { endpoint, id }: Endpoints.Found,
  requestId: string,
  connection: Connection,
  admission: Admission.Admission
): ExchangeShape => {
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
    tag: null,
    answer: endpoint.answer,
    handled: false
  }
  return state
}

/** Lets an endpoint answer what comes in this state. */
const answered = <R>(
  routed: Answer<R | HttpServerRequest.HttpServerRequest>,
  { endpoint }: Endpoints.Found,
  state: ExchangeShape
) => {
  const asked = Effect.catchCause(
    endpoint.need === null
      ? Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ remoteAddress }) =>
          Effect.andThen(state.enter(RateLimits.strangerAt(remoteAddress)), routed)
        )
      : routed,
    answerCause
  )
  // Three services at once: each by itself would change the fiber's context, and change it back.
  return Effect.updateContext(asked, (given: Context.Context<R | HttpServerRequest.HttpServerRequest>) => {
    const request = jsonRequest(Context.get(given, HttpServerRequest.HttpServerRequest), endpoint)
    const words = Context.get(given, References.CurrentLogAnnotations)
    return given.pipe(
      Context.add(HttpServerRequest.HttpServerRequest, request),
      Context.add(Exchange, state),
      Context.add(References.CurrentLogAnnotations, {
        ...words,
        requestId: state.requestId,
        endpoint: endpoint.name
      })
    )
  })
}

/** Finds the endpoint, lets it answer, and makes an answer of whatever comes instead. */
const exchange = <R>(
  routed: Routed<R>,
  { accessLog, admission, streams }: Mounted,
  request: HttpServerRequest.HttpServerRequest,
  connection: Connection,
  requestId: string
) => {
  const found = Endpoints.find(request.method, request.url)
  const path = request.url.split("?", 1)[0] ?? ""
  if (!("endpoint" in found)) {
    const problem = found.length === 0 ? noSuchPath(path) : noSuchMethod(request.method, found)
    const refused = Effect.succeed(withHeaders(problemResponse(problem, requestId), requestId, path))
    return observing(refused, { requestId, route: "unknown", state: null, accessLog })
  }
  const { endpoint } = found
  const state = stateOf(found, requestId, connection, admission)
  const told = (given: HttpServerResponse.HttpServerResponse) =>
    paced(withHeaders(validated(request, state.tag, given), requestId, path), state.place, connection)
  const answer = Effect.flatMap(answered(routed(found, request), found, state), (given) =>
    // Whatever is administered may have ended somebody's right to read.
    administers(endpoint) && state.handled
      ? Effect.as(EventStreams.lookAgain(streams), told(given))
      : Effect.succeed(told(given))
  )
  return observing(answer, { requestId, route: endpoint.path, state, accessLog })
}

/** Answers one request. */
const serve = <R>(routed: Routed<R>, mounted: Mounted) => {
  const { connectionOf } = mounted
  const connectionsOf = connectionOf === undefined ? scoped : Effect.succeed(connectionOf)
  return Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.flatMap(connectionsOf, (connection) =>
        Effect.flatMap(requestIdFor(request.headers["x-request-id"]), (requestId) =>
          exchange(routed, mounted, request, connection(request), requestId)
        )
      )
    // Only an interruption is left: the caller is gone.
  ).pipe(Effect.catch(Effect.die))
}

type Needed = Layer.Services<ReturnType<typeof routesOf>>

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

/** The app, and all that it needs of the installation: a server whose requests begin with that serves them sooner. */
export interface Mount {
  readonly app: HttpApp
  readonly services: Context.Context<HttpServices>
}

/** Builds the app. Its scope is the server's: when it closes, open event streams end. */
export const mountHttpApp = Effect.fnUntraced(function* (
  settings: ApiSettings["Service"]
): Effect.fn.Return<Mount, never, HttpServices | Scope.Scope> {
  const own = Layer.succeed(ApiSettings, settings)
  // Whoever serves more than the API counts all of a caller's requests together.
  const rates = Option.match(yield* Effect.serviceOption(RateLimits.RateLimits), {
    onNone: () => Layer.provide(RateLimits.layer, own),
    onSome: (given) => Layer.succeed(RateLimits.RateLimits, given)
  })
  const held = yield* Layer.build(Layer.mergeAll(shared, rates, own))
  const services = Context.merge(yield* Effect.context<HttpServices>(), held)
  let plainReads: PlainReads.PlainReads = () => null
  const routes = routesOf((services) => (plainReads = PlainReads.make(services)))
  const router = yield* HttpRouter.toHttpEffect(routes).pipe(
    Effect.provideService(HttpRouter.RouterConfig, { maxParamLength: ServerLimits.parameterLength }),
    Effect.provideContext(services)
  )
  const wayOf = (
    ...asked: Parameters<PlainReads.PlainReads>
  ): Answer<Effect.Services<typeof router> | RateLimits.RateLimits> => plainReads(...asked) ?? router
  const { accessLog, connectionOf } = settings
  const streams = Context.get(held, EventStreams.OpenStreams)
  const mounted = { accessLog: accessLog === true, admission: Admission.make(), connectionOf, streams }
  // What a request brings along wins over what was there when the server started: its scope, the words of its log.
  const routed = (found: Endpoints.Found, request: HttpServerRequest.HttpServerRequest) =>
    Effect.updateContext(wayOf(found, request), (given: Context.Context<Asked>) =>
      isServices(given, streams) ? given : Context.merge(services, given)
    )
  // Whoever calls may leave at any point; the library alone would let them only once the endpoint is found.
  return { app: Effect.interruptible(serve(routed, mounted)), services }
})

/** Whether all that the app needs is there already: what it made for itself is nowhere else. */
const isServices = (
  given: Context.Context<Asked>,
  streams: EventStreams.OpenStreams["Service"]
): given is Context.Context<
  Asked | HttpServices | Layer.Success<typeof shared> | RateLimits.RateLimits | ApiSettings
> => Option.getOrNull(Context.getOption(given, EventStreams.OpenStreams)) === streams

/** The app alone. */
export const makeHttpApp = (
  settings: ApiSettings["Service"]
): Effect.Effect<HttpApp, never, HttpServices | Scope.Scope> => Effect.map(mountHttpApp(settings), ({ app }) => app)
