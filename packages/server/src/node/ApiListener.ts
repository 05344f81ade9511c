/** The HTTP API as a listener of a Node server. */
import type { RequestListener } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, type Scope } from "effect"
import { makeHttpApp } from "../http/index.ts"
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
    const app = yield* makeHttpApp({
      version,
      environment: options.environment,
      requestsPerMinute: options.apiRatePerMinute
    })
    const handler = yield* NodeHttpServer.makeHandler<Scope.Scope, never>(app)
    const listener: RequestListener = (req, res) => handler(req, res)
    return listener
  })
