/** Puts the router before a node:http server. Bodies stream both ways; a visitor who leaves stops the work. */
import { RouterLimits } from "../RouterLimits.ts"
import type { AppResponse } from "@pawl/core/app/AppRuntime"
import { Meters } from "@pawl/core/telemetry/Meters"
import { Effect, Exit } from "effect"
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http"
import { outcomeOf, page } from "../Pages.ts"
import { Router } from "../Router.ts"
import * as Settled from "../Settled.ts"
import type { KnownHosts } from "../KnownHosts.ts"
import { read } from "./NodeRequest.ts"
import { refuse, send } from "./NodeResponse.ts"
import { attachRefusals, comesTooLate } from "./ConnectionRefusals.ts"

/** Listeners for a server's events. */
export interface NodeFront {
  /** For a server's `request` event. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void
  /** For its `checkContinue` event: `100 Continue` is sent when the app first reads the body, and never when it does not. */
  readonly handleExpecting: (req: IncomingMessage, res: ServerResponse) => void
  /** The router's: whoever dispatches by `Host` asks them, so that a name is read once. */
  readonly hosts: KnownHosts | null
}

/** How a server before the router is made: strict parsing, bounded headers, no connection for ever. */
export const serverOptions = {
  insecureHTTPParser: false,
  // Judged by the front, whose answer says what is wrong.
  requireHostHeader: false,
  joinDuplicateHeaders: false,
  maxHeaderSize: RouterLimits.requestHeaderBytes,
  headersTimeout: RouterLimits.requestHeadersMs,
  requestTimeout: RouterLimits.requestMs,
  keepAliveTimeout: RouterLimits.connectionIdleMs
} as const satisfies ServerOptions

/** Over the router, with the context in which it was made. */
export const make: Effect.Effect<NodeFront, never, Router> = Effect.gen(function* () {
  const router = yield* Router
  const { appRequests, appSeconds } = yield* Meters
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const count = (response: AppResponse, beganMs: number): void => {
    appSeconds.observe((performance.now() - beganMs) / 1000)
    appRequests.add(outcomeOf(response))
  }

  const answer = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void => {
    if (comesTooLate(req)) return
    const request = read(req, res, awaitsContinue)
    if ("reason" in request) return refuse(res, request)
    const beganMs = performance.now()
    const end = (exit: Exit.Exit<AppResponse>): void => {
      const response = Exit.isSuccess(exit) ? exit.value : page("unavailable", { method: request.method })
      count(response, beganMs)
      send(response, res)
    }
    const served = router.handle(request)
    // What was in memory has no visitor who leaves meanwhile, and nothing to run.
    if (Settled.isSettled(served)) return end(served)
    const fiber = run(served)
    const leave = () => fiber.interruptUnsafe()
    res.once("close", leave)
    fiber.addObserver((exit) => {
      res.off("close", leave)
      end(exit)
    })
  }

  return {
    handle: (req, res) => answer(req, res, false),
    handleExpecting: (req, res) => answer(req, res, true),
    hosts: router.hosts
  }
})

/** Lets a server speak for the router alone. A server that also has an API dispatches by Host and calls the front itself. */
export const attach = (server: Server, front: NodeFront): void => {
  // Without limits of size on the number, none is left out unseen: `maxHeaderSize` bounds them all.
  server.maxHeadersCount = 0
  attachRefusals(server)
  server.on("request", front.handle)
  server.on("checkContinue", front.handleExpecting)
}
