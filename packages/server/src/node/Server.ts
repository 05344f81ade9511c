/** A running server: the listener, everything behind it, and the workers. It ends with its scope. */
import * as SignInCodes from "@pawl/core/access/SignInCodes"
import * as Organizations from "@pawl/core/access/Organizations"
import * as Adoption from "@pawl/core/audit/Adoption"
import * as Loops from "@pawl/core/upkeep/Loops"
import * as Presence from "@pawl/core/work/Presence"
import { ServerLimits } from "../ServerLimits.ts"
import type { Outgrown } from "@pawl/core/work/Fleet"
import { Deferred, Effect, Layer, Redacted, Scope } from "effect"
import * as Installations from "./installations/Installations.ts"
import * as Addresses from "./listen/Addresses.ts"
import * as ApiListener from "./listen/ApiListener.ts"
import * as Listener from "./listen/Listener.ts"
import type { ServerRole } from "./GivenOptions.ts"
import { onlyRoutes, type Options } from "./Options.ts"
import { ownProcess } from "./OwnProcess.ts"
import * as OwnerToken from "./OwnerToken.ts"
import * as ReadinessCheck from "./ReadinessCheck.ts"
import { type Decorate, layer as pawlLayer } from "./Pawl.ts"
import * as ReleaseKeys from "./ReleaseKeys.ts"
import * as RouterParts from "./RouterParts.ts"
import { type Opened, serve } from "./Serving.ts"
import * as PrivateFolder from "./PrivateFolder.ts"
import * as RepositoryKinds from "./RepositoryKinds.ts"
import * as Signers from "./Signers.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as Workers from "./Workers.ts"

/** How to reach the server that runs. */
export interface Running {
  readonly port: number
  readonly apiOrigin: string
  /** Null for a process that only routes: it knows none. */
  readonly ownerToken: Redacted.Redacted | null
  /** The token was made now: show it once. */
  readonly tokenIsFresh: boolean
  /** The id of the key that signs statements, when it was made now; null when not. */
  readonly freshKeyid: string | null
  /**
   * By which the owner signs in with a browser, once and within `Limits.signInCodeMs`; null where there is no console, or a
   * provider of identities signs people in.
   */
  readonly signInLink: Redacted.Redacted | null
  /** Fails when this process must not go on, which the scope does not know of. It never comes otherwise. */
  readonly ended: Effect.Effect<never, Outgrown>
}

interface Begun {
  readonly owner: OwnerToken.OwnerToken | null
  readonly freshKeyid: string | null
  readonly signInLink: Running["signInLink"]
}

/** Serves apps alone: it makes nothing of the installation, and takes nothing back. */
const route = Effect.fnUntraced(function* (opened: Opened) {
  const { listener, parts } = opened
  const { options, telemetry } = parts
  const services = yield* Telemetry.provide(telemetry)(Layer.build(RouterParts.layer(parts)))
  yield* Effect.gen(function* () {
    const own = yield* ownProcess(options)
    yield* Presence.enter(own)
    yield* Effect.addFinalizer(() => listener.drain)
    const loops = yield* Loops.make
    const readiness = yield* ReadinessCheck.ofRouter(loops, options)
    yield* serve(opened, { own, loops, readiness, api: ApiListener.health(options, readiness.state) })
  }).pipe(Effect.provide(services), Telemetry.provide(telemetry))
  return { owner: null, freshKeyid: null, signInLink: null } satisfies Begun
})

/** Does what its roles say, or all. */
const run = Effect.fnUntraced(function* (opened: Opened, decorate: Decorate | undefined) {
  const { listener, parts } = opened
  const { addresses, installation, options, telemetry } = parts
  const services = yield* Telemetry.provide(telemetry)(Layer.build(pawlLayer(parts, decorate)))
  yield* Effect.provide(RepositoryKinds.check(options), services)
  const has = (role: ServerRole) => options.roles.includes(role)
  // Only workers sign.
  const keys = has("worker") ? yield* Effect.provide(Signers.start(options, installation), services) : { fresh: null }
  if (keys.fresh !== null) yield* ReleaseKeys.keepFirst(options, keys.fresh)
  const owner = yield* OwnerToken.read(options.data, options.ownerToken)
  const signInLink = yield* Effect.gen(function* () {
    yield* installation.takeBack
    const own = yield* ownProcess(options)
    // Its note is the last thing that a stop takes back.
    yield* Presence.enter(own)
    const { user } = yield* Organizations.bootstrap({ organization: "Home", owner: "Owner", token: owner.token })
    // Before the workers begin: who waits for this commit would wait for what they do first, too.
    const isOffered = has("api") && options.console && options.oidc === null
    const code = isOffered ? yield* SignInCodes.offer(user.id) : null
    // Requests end while all that they need is still there; what keeps one open for long has ended before. Those that
    // did not end by themselves are ended after that.
    const requests = yield* Scope.fork(yield* Effect.scope)
    yield* Effect.addFinalizer(() => listener.drain)
    const loops = yield* Loops.make
    const readiness = yield* ReadinessCheck.make(loops, options)
    const api = has("api")
      ? yield* ApiListener.make(options, readiness.state, requests, {
          origin: addresses.apiOrigin,
          port: listener.port
        })
      : ApiListener.health(options, readiness.state)
    if (has("worker") && !options.paused) {
      yield* Effect.forkScoped(Effect.ignore(Adoption.requestAdoptions, { log: true }))
      yield* Effect.forkScoped(Workers.run(own.id, options, loops))
    }
    yield* Effect.forkScoped(loops.supervise("contraction", Effect.andThen(Presence.outlive, Effect.never)))
    yield* serve(opened, { own, loops, readiness, api })
    return code === null ? null : Redacted.make(`${addresses.apiOrigin}/#login=${Redacted.value(code)}`)
  }).pipe(Effect.provide(services), Telemetry.provide(telemetry))
  return { owner, freshKeyid: keys.fresh, signInLink } satisfies Begun
})

/** Starts a server and answers when it is ready. `decorate` is for tests that break things on purpose. */
export const start = Effect.fnUntraced(function* (options: Options, decorate?: Decorate) {
  yield* PrivateFolder.prepare(options.data)
  const installation = Installations.of(options)
  const { alone, settled } = yield* installation.enter
  const telemetry = yield* Telemetry.make(options)
  const { environment, host, port } = options
  const listener = yield* Listener.make({ host, port, environment, drainMs: ServerLimits.drainMs })
  const addresses = Addresses.of(options, listener.port)
  const ended = yield* Deferred.make<never, Outgrown>()
  const opened = { parts: { options, installation, addresses, alone, telemetry }, listener, ended }
  const { freshKeyid, owner, signInLink } = yield* onlyRoutes(options) ? route(opened) : run(opened, decorate)
  yield* settled
  return {
    port: listener.port,
    apiOrigin: addresses.apiOrigin,
    ownerToken: owner?.token ?? null,
    tokenIsFresh: owner?.fresh === true,
    freshKeyid,
    signInLink,
    ended: Deferred.await(ended)
  } satisfies Running
})
