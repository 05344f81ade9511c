/** git's smart HTTP for people: `/git/<project id>.git`, and the three paths under it that git asks for. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import type { IncomingMessage, ServerResponse } from "node:http"
import { GitTransport } from "@pawl/adapters-local/repositories/transport/GitTransport"
import type { Caller } from "@pawl/core/access/Tokens"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { ServerLimits } from "../../ServerLimits.ts"
import { Meters } from "@pawl/core/telemetry/Meters"
import { Cause, Effect, FiberSet } from "effect"
import { type Need, reading, writing } from "../../api/Needs.ts"
import { Problem } from "../../api/Problem.ts"
import { ApiSettings } from "../../http/ApiSettings.ts"
import { refusing } from "../../http/answer/HandlerAnswer.ts"
import { internal, problemOf } from "../../http/answer/Problems.ts"
import type { Readers } from "../Readers.ts"
import { readOn } from "../listen/ReadOn.ts"
import { addressOf } from "../listen/VisitorAddress.ts"
import { BadBody, readBody } from "./GitBody.ts"
import { demandCaller } from "./GitCaller.ts"
import { shownMain, shownOfTask, shownTo } from "./GitRefs.ts"
import { mainRef } from "./RefNames.ts"
import * as GitTurns from "./GitTurns.ts"
import { flush, line } from "./PktLine.ts"
import { push } from "./Pushes.ts"
import { reportOf } from "./PushReport.ts"
import { parsePush } from "./PushRequest.ts"
import { pushOfTask } from "./TaskPushes.ts"

const services = ["git-upload-pack", "git-receive-pack"] as const
type Service = (typeof services)[number]
const needs: { readonly [S in Service]: Need } = { "git-upload-pack": reading, "git-receive-pack": writing }
/** What every path of git's begins with. */
export const prefix = "/git/"

interface Route {
  readonly projectId: string
  readonly service: Service
  /** The list of refs that a conversation begins with. */
  readonly isOpening: boolean
}

/** Where a request leads, by its method and path; else the problem that it is. */
export const routeOf = (method: string, url: string): Route | Problem => {
  const [path = "", query = ""] = url.split("?", 2)
  const [, projectId = "", rest = ""] = /^\/git\/(proj_[0-9a-f-]{36})\.git\/(.*)$/.exec(path) ?? []
  const isOpening = rest === "info/refs"
  const named = isOpening ? new URLSearchParams(query).get("service") : rest
  const service = services.find((each) => each === named)
  if (isOpening && service === undefined && projectId !== "")
    return problemOf(400, "old_git", "Use a newer git", "Only git's smart protocol is spoken here: git 1.6.6 or newer.")
  if (service === undefined)
    return problemOf(
      404,
      "not_found",
      "There is no such path",
      "git is served at /git/<project id>.git and nowhere else."
    )
  const allow = isOpening ? ["GET"] : ["POST"]
  if (!allow.includes(method))
    return problemOf(405, "method_not_allowed", "There is no such method here", `Only ${allow[0]} is possible here.`, {
      allow
    })
  return { projectId, service, isOpening }
}

const versionOf = (header: string | string[] | undefined): 0 | 1 | 2 => {
  const found = /^version=([012])$/.exec(String(header ?? ""))?.[1]
  return found === "2" ? 2 : found === "1" ? 1 : 0
}

const capabilities = "report-status delete-refs side-band-64k ofs-delta quiet object-format=sha1 agent=pawl"

/** git shows a plain text to whoever runs it. */
const sayProblem = (res: ServerResponse, { detail, facts, status }: Problem): void => {
  readOn(res.req, res)
  const { allow, retryAfterSeconds } = facts
  res.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    ...(status === 401 ? { "www-authenticate": 'Basic realm="pawl", charset="UTF-8"' } : {}),
    ...(typeof retryAfterSeconds === "number" ? { "retry-after": String(retryAfterSeconds) } : {}),
    ...(Array.isArray(allow) ? { allow: allow.join(", ") } : {})
  })
  res.end(`${detail}\n`)
}

const problemFrom = (error: BadBody): Problem =>
  problemOf(error.status, "bad_body", "The body cannot be used", error.reason)

interface Exchanged {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

const begin = (res: ServerResponse, { isOpening, service }: Route): void => {
  res.statusCode = 200
  res.setHeader("content-type", `application/x-${service}-${isOpening ? "advertisement" : "result"}`)
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

/** What canonical is, or was when a Task was claimed: a client leaves out of a push what that holds. */
const known = Effect.fnUntraced(function* (projectId: string, { run }: Caller) {
  const { commit, name } = run === undefined ? yield* shownMain(projectId) : { commit: run.baseCommit, name: mainRef }
  return `${commit} ${name}`
})

const opening = Effect.fnUntraced(function* ({ req, res }: Exchanged, route: Route, caller: Caller) {
  const { projectId, service } = route
  const greeting = Buffer.concat([line(`# service=${service}\n`), flush])
  if (service === "git-receive-pack") {
    const first = yield* known(projectId, caller)
    begin(res, route)
    res.end(Buffer.concat([greeting, line(`${first}\0${capabilities}\n`), flush]))
    return
  }
  yield* serving({ req, res }, route, caller, { request: null, greeting })
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

const exchange = (turns: GitTurns.GitTurns, exchanged: Exchanged, address: string, route: Route) =>
  Effect.gen(function* () {
    const { req } = exchanged
    const found = yield* demandCaller(req, address, route.projectId, needs[route.service])
    const userId = found.caller.user.id
    if (!route.isOpening && req.headers["content-type"] !== `application/x-${route.service}-request`)
      return yield* new BadBody({ status: 415, reason: "This is not what git sends." })
    const work = route.isOpening
      ? opening(exchanged, route, found.caller)
      : route.service === "git-upload-pack"
        ? fetching(exchanged, route, found.caller)
        : pushing(exchanged, route, found)
    return yield* turns.inTurn(userId, route.projectId, work)
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

/** The template of a route, for counts and the access log. Never what the caller wrote. */
const templateOf = (route: Route | Problem): string =>
  route instanceof Problem ? "unknown" : `/git/:id.git/${route.isOpening ? "info/refs" : route.service}`

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
  const turns = GitTurns.make()
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
