/** A running server: the listener, everything behind it, and the workers. It ends with its scope. */
import * as SignInCodes from "@pawl/core/access/SignInCodes"
import * as Organizations from "@pawl/core/access/Organizations"
import * as Adoption from "@pawl/core/audit/Adoption"
import * as Loops from "@pawl/core/upkeep/Loops"
import * as Presence from "@pawl/core/work/Presence"
import { ServerLimits } from "../ServerLimits.ts"
import * as NodeFront from "@pawl/router/node/NodeFront"
import type { Outgrown } from "@pawl/core/work/Fleet"
import { Deferred, Effect, Layer, Redacted, Scope } from "effect"
import * as Installations from "./installations/Installations.ts"
import * as Addresses from "./listen/Addresses.ts"
import * as ApiListener from "./listen/ApiListener.ts"
import * as Listener from "./listen/Listener.ts"
import type { ServerRole } from "./GivenOptions.ts"
import type { Options } from "./Options.ts"
import * as MetricsEndpoint from "./telemetry/MetricsEndpoint.ts"
import { ownProcess } from "./OwnProcess.ts"
import * as OwnerToken from "./OwnerToken.ts"
import * as ReadinessCheck from "./ReadinessCheck.ts"
import { type Decorate, layer as pawlLayer } from "./Pawl.ts"
import * as PrivateFolder from "./PrivateFolder.ts"
import * as RepositoryKinds from "./RepositoryKinds.ts"
import * as Signers from "./Signers.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as Workers from "./Workers.ts"

/** How to reach the server that runs. */
export interface Running {
  readonly port: number
  readonly apiOrigin: string
  readonly ownerToken: Redacted.Redacted
  /** The token was made now: show it once. */
  readonly tokenIsFresh: boolean
  /** The id of the key that signs statements, when it was made now; null when not. */
  readonly freshKeyid: string | null
  /** Where the owner signs in with a browser, once and within `Limits.signInCodeMs`; null where that is another's matter. */
  readonly signInLink: Redacted.Redacted | null
  /** Fails when this process must not go on, which the scope does not know of. It never comes otherwise. */
  readonly ended: Effect.Effect<never, Outgrown>
}

/** Starts a server and answers when it is ready. `decorate` is for tests that break things on purpose. */
export const start = Effect.fnUntraced(function* (options: Options, decorate?: Decorate) {
  yield* PrivateFolder.prepare(options.data)
  const installation = Installations.of(options)
  const { alone, settled } = yield* installation.enter
  const telemetry = yield* Telemetry.make(options)
  const { environment, host, port } = options
  const listener = yield* Listener.make({ host, port, environment, drainMs: ServerLimits.drainMs })
  const addresses = Addresses.of(options, listener.port)
  const parts = { options, installation, addresses, alone, telemetry }
  const services = yield* Telemetry.provide(telemetry)(Layer.build(pawlLayer(parts, decorate)))
  yield* Effect.provide(RepositoryKinds.check(options), services)
  // Only workers sign.
  const keys = options.roles.includes("worker")
    ? yield* Effect.provide(Signers.start(options, installation), services)
    : { fresh: null }
  const ended = yield* Deferred.make<never, Outgrown>()
  const owner = yield* OwnerToken.read(options.data, options.ownerToken)
  const link = yield* Effect.gen(function* () {
    yield* installation.takeBack
    const own = yield* ownProcess(options)
    // Its note is the last thing that a stop takes back.
    yield* Presence.enter(own)
    const { user } = yield* Organizations.bootstrap({ organization: "Home", owner: "Owner", token: owner.token })
    // Requests end while all that they need is still there; what keeps one open for long has ended before. Those that
    // did not end by themselves are ended after that.
    const requests = yield* Scope.fork(yield* Effect.scope)
    yield* Effect.addFinalizer(() => listener.drain)
    const has = (role: ServerRole) => options.roles.includes(role)
    const loops = yield* Loops.make
    const readiness = yield* ReadinessCheck.make(loops, options)
    const others = has("api")
      ? yield* ApiListener.make(options, readiness.state, requests, {
          origin: addresses.apiOrigin,
          port: listener.port
        })
      : ApiListener.health(options, readiness.state)
    const api = yield* MetricsEndpoint.before(others, options, telemetry.meters)
    const apps = has("router") && options.appsDomain !== null ? yield* NodeFront.make : null
    listener.attach({ api, apps, appsDomain: options.appsDomain, addresses })
    if (has("worker") && !options.paused) {
      yield* Effect.forkScoped(Effect.ignore(Adoption.requestAdoptions, { log: true }))
      yield* Effect.forkScoped(Workers.run(own.id, options, loops))
    }
    const staying = Presence.stay(own).pipe(
      Effect.catchTag("Outgrown", (problem) => Effect.andThen(Deferred.fail(ended, problem), Effect.never))
    )
    yield* Effect.forkScoped(loops.supervise("presence", staying))
    // A router alone may change nothing of the database's shape.
    if (has("api") || has("worker"))
      yield* Effect.forkScoped(loops.supervise("contraction", Effect.andThen(Presence.outlive, Effect.never)))
    // The first thing that a stop does. What it waits then nobody interrupts: it is a stop already.
    yield* Effect.addFinalizer(() =>
      readiness.stopping.pipe(Effect.andThen(listener.leave), Effect.andThen(Effect.sleep(options.drainDelay)))
    )
    const code = has("api") && options.oidc === null ? yield* SignInCodes.offer(user.id) : null
    yield* settled
    return code === null ? null : Redacted.make(`${addresses.apiOrigin}/#login=${Redacted.value(code)}`)
  }).pipe(Effect.provide(services), Telemetry.provide(telemetry))
  return {
    port: listener.port,
    apiOrigin: addresses.apiOrigin,
    ownerToken: owner.token,
    tokenIsFresh: owner.fresh,
    freshKeyid: keys.fresh,
    signInLink: link,
    ended: Deferred.await(ended)
  } satisfies Running
})
