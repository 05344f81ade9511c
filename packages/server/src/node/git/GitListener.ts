/** git's smart HTTP for people: `/git/<project id>.git`, and the three paths under it that git asks for. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import type { IncomingMessage, ServerResponse } from "node:http"
import { GitTransport } from "@pawl/adapters-local/repositories/transport/GitTransport"
import type { Caller } from "@pawl/core/access/Tokens"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { Meters } from "@pawl/core/telemetry/Meters"
import { Cause, Effect, FiberSet } from "effect"
import { Problem } from "../../api/Problem.ts"
import { BadBody } from "../../git/GitBody.ts"
import { demandCaller } from "../../git/GitCaller.ts"
import { shownOfTask, shownTo } from "../../git/GitRefs.ts"
import {
  answerType,
  greetingOf,
  needs,
  problemFrom,
  problemHeaders,
  pushGreeting,
  type Route,
  routeOf,
  templateOf,
  versionOf
} from "../../git/GitRoutes.ts"
import * as GitTurns from "../../git/GitTurns.ts"
import { push } from "../../git/Pushes.ts"
import { reportOf } from "../../git/PushReport.ts"
import { parsePush } from "../../git/PushRequest.ts"
import { pushOfTask } from "../../git/TaskPushes.ts"
import { ApiSettings } from "../../http/ApiSettings.ts"
import { refusing } from "../../http/answer/HandlerAnswer.ts"
import { internal } from "../../http/answer/Problems.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { readOn } from "../listen/ReadOn.ts"
import { addressOf } from "../listen/VisitorAddress.ts"
import type { Readers } from "../Readers.ts"
import { readBody } from "./GitBody.ts"

/** git shows a plain text to whoever runs it. */
const sayProblem = (res: ServerResponse, problem: Problem): void => {
  readOn(res.req, res)
  res.writeHead(problem.status, problemHeaders(problem))
  res.end(`${problem.detail}\n`)
}

interface Exchanged {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

const begin = (res: ServerResponse, route: Route): void => {
  res.statusCode = 200
  res.setHeader("content-type", answerType(route))
}

const serving = Effect.fnUntraced(function* (
  { req, res }: Exchanged,
  route: Route,
  { run, user }: Caller,
  asked: { readonly request: Uint8Array | null; readonly greeting: Uint8Array }
) {
  const { projectId } = route
  const refs = run === undefined ? yield* shownTo(user.id, projectId) : shownOfTask(run)
  begin(res, route)
  const version = versionOf(req.headers["git-protocol"])
  yield* (yield* GitTransport)
    .serve({ project: projectId, refs, version, into: res, ...asked })
    .pipe(Effect.catchTag("ObjectNotFound", () => new Unknown({ kind: "source", id: projectId })))
  res.end()
})

const opening = Effect.fnUntraced(function* ({ req, res }: Exchanged, route: Route, caller: Caller) {
  if (route.service === "git-receive-pack") {
    const first = yield* pushGreeting(route, caller)
    begin(res, route)
    res.end(first)
    return
  }
  yield* serving({ req, res }, route, caller, { request: null, greeting: greetingOf(route) })
})

const fetching = Effect.fnUntraced(function* ({ req, res }: Exchanged, route: Route, caller: Caller) {
  const body = yield* readBody(req, { maxBytes: ServerLimits.gitFetchBytes, discardBytes: 0 })
  yield* serving({ req, res }, route, caller, { request: body.bytes, greeting: new Uint8Array() })
})

const pushing = Effect.fnUntraced(function* (
  { req, res }: Exchanged,
  route: Route,
  at: Effect.Success<ReturnType<typeof demandCaller>>
) {
  const body = yield* readBody(req, { maxBytes: LocalLimits.gitPushBytes, discardBytes: ServerLimits.gitDiscardBytes })
  const request = parsePush(body.bytes)
  if (request === undefined)
    return yield* new BadBody({ status: 400, reason: "This is not what git sends when it pushes." })
  begin(res, route)
  // git tries its credentials with an empty push before it sends a large one.
  if (request.updates.length === 0) return void res.end()
  const { run, user } = at.caller
  const outcome = yield* run === undefined ? push(user, at.project, request, body) : pushOfTask(run, request, body)
  res.end(reportOf(request, outcome))
})

const working = Effect.fnUntraced(function* (
  exchanged: Exchanged,
  route: Route,
  found: Effect.Success<ReturnType<typeof demandCaller>>
) {
  if (route.isOpening) return yield* opening(exchanged, route, found.caller)
  yield* route.service === "git-upload-pack"
    ? fetching(exchanged, route, found.caller)
    : pushing(exchanged, route, found)
})

const exchange = (turns: GitTurns.GitTurns, exchanged: Exchanged, address: string, route: Route) =>
  Effect.gen(function* () {
    const { req } = exchanged
    const found = yield* demandCaller(req.headers.authorization ?? null, address, route.projectId, needs[route.service])
    const userId = found.caller.user.id
    if (!route.isOpening && req.headers["content-type"] !== `application/x-${route.service}-request`)
      return yield* new BadBody({ status: 415, reason: "This is not what git sends." })
    return yield* turns.inTurn(userId, route.projectId, working(exchanged, route, found))
  }).pipe(
    Effect.catchTag("BadBody", (error) => Effect.fail(problemFrom(error))),
    refusing
  )

/** Ends an exchange that could not be answered: in words, or by cutting an answer that has begun. */
const fail = (res: ServerResponse, problem: Problem) =>
  Effect.sync(() => {
    if (res.headersSent) return void res.destroy()
    sayProblem(res, problem)
  })

/** Nobody is told of an interruption: the caller is gone, or the server ends. */
const mistake = (res: ServerResponse, cause: Cause.Cause<never>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.sync(() => res.destroy())
    : Effect.andThen(Effect.logError("git request failed", cause), fail(res, internal()))

/** Answers each request that is handed to it, whatever its path. */
export interface GitListener {
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void
}

/** Counts a request when it is over, and logs it when that is wanted, as the API does. */
const observer = Effect.gen(function* () {
  const { httpRequests, httpSeconds } = yield* Meters
  const { accessLog } = yield* ApiSettings
  const log = Effect.runForkWith(yield* Effect.context<never>())
  return ({ req, res }: Exchanged, route: Route | Problem): void => {
    const begunMs = performance.now()
    res.once("close", () => {
      const method = req.method === "GET" || req.method === "POST" ? req.method : "other"
      const ms = performance.now() - begunMs
      const line = { method, route: templateOf(route), status: res.statusCode, ms: Math.round(ms * 1e3) / 1e3 }
      httpRequests.add(line.method, line.route, `${Math.floor(line.status / 100)}xx`)
      httpSeconds.observe(ms / 1000)
      const requestId = res.getHeader("x-request-id") ?? null
      if (accessLog) log(Effect.annotateLogs(Effect.logInfo("request"), { ...line, requestId }))
    })
  }
})

/** Answers git until its scope closes. Who leaves in the middle ends what was done for them. */
export const make = Effect.fnUntraced(function* (readers: Readers, trustProxy: boolean) {
  const turns = GitTurns.make(ServerLimits.gitRequestsAtOnce)
  const observe = yield* observer
  const fibers = yield* FiberSet.make<void>()
  const run = yield* FiberSet.runtime(fibers)<Effect.Services<ReturnType<typeof exchange>>>()
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const route = routeOf(req.method ?? "", req.url ?? "")
    res.setHeader("x-content-type-options", "nosniff")
    res.setHeader("cache-control", "no-store")
    observe({ req, res }, route)
    readers.watch(res)
    readers.isAwaited(res, turns.isAwaited)
    if (route instanceof Problem) return sayProblem(res, route)
    const program = Effect.gen(function* () {
      const requestId = `req_${yield* makeUlid}`
      res.setHeader("x-request-id", requestId)
      yield* exchange(turns, { req, res }, addressOf(req, trustProxy), route).pipe(
        Effect.catch((problem) => fail(res, problem)),
        Effect.catchCause((cause) => mistake(res, cause)),
        Effect.annotateLogs({ requestId, endpoint: `git ${route.service}` })
      )
    })
    const fiber = run(program)
    res.once("close", () => fiber.interruptUnsafe())
  }
  return { handle } satisfies GitListener
})
