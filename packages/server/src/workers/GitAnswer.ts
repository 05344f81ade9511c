/**
 * git over HTTP in the object of a Project, by the rules of a server on a machine: its paths, rights, refs and words. The
 * directory answers for Projects that there are not.
 */
import { FetchServer } from "@pawl/adapters-cloudflare/repositories/transport/FetchServer"
import { chunksOf } from "@pawl/adapters-cloudflare/runtime/Streams"
import type { Caller } from "@pawl/core/access/Tokens"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { Meters } from "@pawl/core/telemetry/Meters"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import * as Time from "@pawl/core/primitives/Time"
import { Cause, type Context, Effect } from "effect"
import { Problem } from "../api/Problem.ts"
import { BadBody, type BodyBounds, broken, type GitBody, isZipped, tooLarge, unknownEncoding } from "../git/GitBody.ts"
import { demandCaller } from "../git/GitCaller.ts"
import { shownOfTask, shownTo } from "../git/GitRefs.ts"
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
} from "../git/GitRoutes.ts"
import * as GitTurns from "../git/GitTurns.ts"
import { push } from "../git/Pushes.ts"
import { reportOf } from "../git/PushReport.ts"
import { parsePush } from "../git/PushRequest.ts"
import { pushOfTask } from "../git/TaskPushes.ts"
import { refusing } from "../http/answer/HandlerAnswer.ts"
import { internal } from "../http/answer/Problems.ts"
import { ServerLimits } from "../ServerLimits.ts"

const readAll = async (request: Request, isZip: boolean, bounds: BodyBounds): Promise<GitBody | BadBody> => {
  const { discardBytes, maxBytes } = bounds
  const pieces: Array<Uint8Array> = []
  let [size, kept] = [0, 0]
  if (request.body === null) return { bytes: new Uint8Array(), maxBytes, cut: false }
  const source = isZip ? request.body.pipeThrough(new DecompressionStream("gzip")) : request.body
  for await (const piece of chunksOf(source)) {
    size += piece.length
    if (size > maxBytes + discardBytes) return tooLarge(bounds)
    const taken = piece.subarray(0, Math.max(0, maxBytes - kept))
    kept += taken.length
    if (taken.length > 0) pieces.push(taken)
  }
  return { bytes: joined(pieces), maxBytes, cut: size > maxBytes }
}

const readBody = Effect.fnUntraced(function* (request: Request, bounds: BodyBounds) {
  const encoding = request.headers.get("content-encoding") ?? "identity"
  const isZip = isZipped(encoding)
  if (isZip === null) return yield* unknownEncoding(encoding)
  if (Number(request.headers.get("content-length") ?? 0) > bounds.maxBytes + bounds.discardBytes)
    return yield* tooLarge(bounds)
  const read = yield* Effect.tryPromise({ try: () => readAll(request, isZip, bounds), catch: () => broken })
  return read instanceof BadBody ? yield* read : read
})

/** What is answered with 200, piece by piece. */
type Pieces = Iterable<Uint8Array>

/** A body whose pieces are made as they are read, and its end: read whole, or nobody reads it any more. */
const bodyOf = (pieces: Pieces) => {
  const each = pieces[Symbol.iterator]()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let cut = (): void => {}
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      cut = () => controller.error(new Error("the answer took too long"))
    },
    pull: (controller) => {
      try {
        const next = each.next()
        if (next.done !== true) return controller.enqueue(next.value)
        controller.close()
        end()
      } catch (error) {
        end()
        throw error
      }
    },
    cancel: end
  })
  return { stream, over, cut: () => cut() }
}

const serving = Effect.fnUntraced(function* (
  request: Request,
  { projectId }: Route,
  { run, user }: Caller,
  asked: Uint8Array | null
) {
  const refs = run === undefined ? yield* shownTo(user.id, projectId) : shownOfTask(run)
  const version = versionOf(request.headers.get("git-protocol"))
  return yield* (yield* FetchServer)
    .serve({ project: projectId, refs, version, request: asked })
    .pipe(Effect.catchTag("ObjectNotFound", () => new Unknown({ kind: "source", id: projectId })))
})

const opening = Effect.fnUntraced(function* (request: Request, route: Route, caller: Caller) {
  if (route.service === "git-receive-pack") return [yield* pushGreeting(route, caller)]
  return [greetingOf(route), ...(yield* serving(request, route, caller, null))]
})

const fetching = Effect.fnUntraced(function* (request: Request, route: Route, caller: Caller) {
  const { bytes } = yield* readBody(request, { maxBytes: ServerLimits.gitFetchBytes, discardBytes: 0 })
  return yield* serving(request, route, caller, bytes)
})

type Found = Effect.Success<ReturnType<typeof demandCaller>>

const pushing = Effect.fnUntraced(function* (request: Request, { caller: { run, user }, project }: Found) {
  const bounds = { maxBytes: ServerLimits.gitObjectPushBytes, discardBytes: ServerLimits.gitDiscardBytes }
  const body = yield* readBody(request, bounds)
  const asked = parsePush(body.bytes)
  if (asked === undefined)
    return yield* new BadBody({ status: 400, reason: "This is not what git sends when it pushes." })
  // git tries its credentials with an empty push before it sends a large one.
  if (asked.updates.length === 0) return []
  const outcome = yield* run === undefined ? push(user, project, asked, body) : pushOfTask(run, asked, body)
  return [reportOf(asked, outcome)]
})

const working = (request: Request, route: Route, found: Found) => {
  if (route.isOpening) return opening(request, route, found.caller)
  return route.service === "git-upload-pack" ? fetching(request, route, found.caller) : pushing(request, found)
}

/** Hands an answer to whoever asked. What comes after the first is heard by nobody. */
type Tell = (status: number, headers: Record<string, string>, body: ReadableStream<Uint8Array> | string) => void

/** Answers, and ends when the answer was read: its turn is as long as what it holds in memory. */
const exchange = (turns: GitTurns.GitTurns, request: Request, route: Route, tell: Tell) =>
  Effect.gen(function* () {
    const { headers } = request
    const address = headers.get("cf-connecting-ip") ?? "unknown"
    const found = yield* demandCaller(headers.get("authorization"), address, route.projectId, needs[route.service])
    if (!route.isOpening && headers.get("content-type") !== `application/x-${route.service}-request`)
      return yield* new BadBody({ status: 415, reason: "This is not what git sends." })
    const work = Effect.gen(function* () {
      const { cut, over, stream } = bodyOf(yield* working(request, route, found))
      tell(200, { "content-type": answerType(route) }, stream)
      yield* Effect.timeoutOrElse(
        Effect.promise(() => over),
        { duration: ServerLimits.gitObjectAnswerMs, orElse: () => Effect.sync(cut) }
      )
    })
    return yield* turns.inTurn(found.caller.user.id, route.projectId, work)
  }).pipe(
    Effect.catchTag("BadBody", (error) => Effect.fail(problemFrom(error))),
    refusing
  )

const sayProblem = (tell: Tell, problem: Problem): void =>
  tell(problem.status, problemHeaders(problem), `${problem.detail}\n`)

/** One request, with its id and its count. */
const handling = Effect.fnUntraced(function* (
  turns: GitTurns.GitTurns,
  request: Request,
  answer: (r: Response) => void
) {
  const { pathname, search } = new URL(request.url)
  const route = routeOf(request.method, pathname + search)
  const requestId = `req_${yield* makeUlid}`
  const { httpRequests, httpSeconds } = yield* Meters
  const begunMs = yield* Time.steadyMillis
  let told = 0
  const tell: Tell = (status, headers, body) => {
    if (told === 0) told = status
    const own = { "x-request-id": requestId, "x-content-type-options": "nosniff", "cache-control": "no-store" }
    answer(new Response(body, { status, headers: { ...headers, ...own } }))
  }
  if (route instanceof Problem) sayProblem(tell, route)
  else
    yield* exchange(turns, request, route, tell).pipe(
      Effect.catch((problem) => Effect.sync(() => sayProblem(tell, problem))),
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logError("git request failed", Cause.pretty(cause)),
          Effect.sync(() => sayProblem(tell, internal()))
        )
      ),
      Effect.annotateLogs({ requestId, endpoint: `git ${route.service}` })
    )
  const method = request.method === "GET" || request.method === "POST" ? request.method : "other"
  httpRequests.add(method, templateOf(route), `${Math.floor(told / 100)}xx`)
  httpSeconds.observe(((yield* Time.steadyMillis) - begunMs) / 1000)
})

type Needed = Effect.Services<ReturnType<typeof handling>>

/** Answers each request that is handed to it, whatever its path. */
export const make = (services: Context.Context<Needed>): ((request: Request) => Promise<Response>) => {
  const turns = GitTurns.make(ServerLimits.gitObjectRequestsAtOnce)
  return (request) =>
    new Promise((resolve, reject) => {
      Effect.runPromiseWith(services)(handling(turns, request, resolve)).catch(reject)
    })
}
