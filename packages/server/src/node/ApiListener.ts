/** The HTTP API as a listener of a Node server. */
import type { RequestListener } from "node:http"
import { HttpMiddleware } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, type Scope } from "effect"
import { ApiSettings, makeHttpApp } from "../http/index.ts"
import * as GitListener from "./git/GitListener.ts"
import type { Options } from "./Options.ts"
import { notHere } from "./Listener.ts"
import { version } from "./Version.ts"

/** Of a process without the role `api`: its health, and nothing else. */
export const health =
  ({ environment }: Options): RequestListener =>
  (req, res) => {
    if (!/^\/health(\?|$)/.test(req.url ?? "")) return notHere(res, "the API", "api")
    res.writeHead(200, { "content-type": "application/json" })
    res.end(JSON.stringify({ status: "ok", version, environment }))
  }

export const make = (options: Options) =>
  Effect.gen(function* () {
    const { accessLog, apiRatePerMinute: requestsPerMinute, environment } = options
    const settings = { version, environment, requestsPerMinute, accessLog }
    const app = yield* makeHttpApp(settings)
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
