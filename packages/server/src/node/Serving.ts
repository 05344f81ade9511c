/** What every process does once its parts are there, whatever its roles: it answers, and is noted among the others. */
import type { RequestListener } from "node:http"
import type { Fleet, Outgrown, ServerProcess } from "@pawl/core/work/Fleet"
import type { Backlog } from "@pawl/core/telemetry/Backlog"
import type { Loops } from "@pawl/core/upkeep/Loops"
import * as Presence from "@pawl/core/work/Presence"
import * as NodeFront from "@pawl/router/node/NodeFront"
import type { Router } from "@pawl/router/Router"
import { Deferred, Effect, type Scope } from "effect"
import type { Listener } from "./listen/Listener.ts"
import type { ProcessParts } from "./ProcessParts.ts"
import type * as ReadinessCheck from "./ReadinessCheck.ts"
import * as MetricsEndpoint from "./telemetry/MetricsEndpoint.ts"

/** A process whose port is taken, with nothing behind it yet. */
export interface Opened {
  readonly parts: ProcessParts
  readonly listener: Listener
  /** Fails when the process must not go on. */
  readonly ended: Deferred.Deferred<never, Outgrown>
}

/** What answers, and what is told of it. */
export interface Answering {
  readonly own: ServerProcess
  readonly loops: Loops
  readonly readiness: ReadinessCheck.ReadinessCheck
  /** All that is no host of an app. */
  readonly api: RequestListener
}

/** Answers from here on, until the scope ends: what is to stop after that was begun before this. */
export const serve = Effect.fnUntraced(function* (
  { ended, listener, parts: { addresses, options, telemetry } }: Opened,
  { api: others, loops, own, readiness }: Answering
): Effect.fn.Return<void, never, Backlog | Fleet | Router | Scope.Scope> {
  const api = yield* MetricsEndpoint.before(others, options, telemetry.meters)
  const apps = options.roles.includes("router") && options.appsDomain !== null ? yield* NodeFront.make : null
  listener.attach({ api, apps, appsDomain: options.appsDomain, addresses })
  const staying = Presence.stay(own).pipe(
    Effect.catchTag("Outgrown", (problem) => Effect.andThen(Deferred.fail(ended, problem), Effect.never))
  )
  yield* Effect.forkScoped(loops.supervise("presence", staying))
  // The first thing that a stop does. What it waits then nobody interrupts: it is a stop already.
  yield* Effect.addFinalizer(() =>
    readiness.stopping.pipe(Effect.andThen(listener.leave), Effect.andThen(Effect.sleep(options.drainDelay)))
  )
})
