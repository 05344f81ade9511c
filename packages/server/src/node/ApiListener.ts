/** The HTTP API as a listener of a Node server. */
import type { RequestListener } from "node:http"
import { HttpMiddleware } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Exit, type Scope } from "effect"
import { ApiSettings, makeHttpApp, Readiness } from "../http/index.ts"
import * as GitListener from "./git/GitListener.ts"
import type { Options } from "./Options.ts"
import { notHere } from "./Listener.ts"
import { version } from "./Version.ts"

/** Of a process without the role `api`: its health, and nothing else. */
export const health =
  ({ environment }: Options, readiness: Readiness["Type"]): RequestListener =>
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

export const make = (options: Options, readiness: Readiness["Type"]) =>
  Effect.gen(function* () {
    const { accessLog, apiRatePerMinute: requestsPerMinute, environment } = options
    const settings = { version, environment, requestsPerMinute, accessLog }
    const app = yield* Effect.provideService(makeHttpApp(settings), Readiness, readiness)
    // The app makes a span of its own, from less of the request than the library would.
    const handler = yield* HttpMiddleware.withTracerDisabledWhenEffect(
      NodeHttpServer.makeHandler<Scope.Scope, never>(app),
      () => true
    )
    const git = yield* Effect.provideService(GitListener.make, ApiSettings, settings)
    const listener: RequestListener = (req, res) =>
      req.url?.startsWith(GitListener.prefix) === true ? git.handle(req, res) : handler(req, res)
    return listener
  })
