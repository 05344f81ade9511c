/** The HTTP API as a listener of a Node server. */
import type { RequestListener } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, type Scope } from "effect"
import { makeHttpApp } from "../http/index.ts"
import type { Options } from "./Options.ts"
import { version } from "./Version.ts"

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
