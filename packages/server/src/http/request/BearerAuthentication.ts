/**
 * Reads the bearer token of a request, or the cookie of its session, counts the request, holds the token's scopes against what is needed, and judges
 * whether the caller may go where the path leads.
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { requireScope } from "@pawl/core/access/Access"
import { Unauthenticated } from "@pawl/core/access/Tokens"
import { Commands } from "@pawl/core/work/Commands"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Authenticated, CurrentUser } from "../../api/Authentication.ts"
import { refusing } from "../answer/HandlerAnswer.ts"
import * as Callers from "./Callers.ts"
import { Exchange } from "./Exchange.ts"
import { RateLimits, strangerAt } from "./RateLimits.ts"
import { judge } from "./Reach.ts"
import { requireSameOrigin, sessionIn } from "./SessionCookie.ts"
import { withinChange, withinTask } from "./TaskReach.ts"

/** A token is one word. What is none counts as missing, as nothing at all does. */
const tokenOf = (credential: Redacted.Redacted): Option.Option<Redacted.Redacted> => {
  const text = Redacted.value(credential)
  const token = /^(\S+) *$/.exec(text)?.[1]
  if (token === undefined) return Option.none()
  return Option.some(token === text ? credential : Redacted.make(token))
}

/** Who sends a token is who it belongs to, whatever cookies come along. */
const callerOf = Effect.fnUntraced(function* (
  token: Option.Option<Redacted.Redacted>,
  request: HttpServerRequest.HttpServerRequest
) {
  if (Option.isSome(token)) return yield* Callers.byToken(token.value)
  const session = request.headers["authorization"] === undefined ? sessionIn(request) : null
  if (session === null) return yield* new Unauthenticated({ reason: "missing" })
  yield* requireSameOrigin(request)
  return yield* Callers.bySession(session)
})

/** The caller of a request with this credential, who may do what its endpoint needs and go where its path leads. */
export const authenticated = Effect.fnUntraced(function* (credential: Redacted.Redacted) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const exchange = yield* Exchange
  const rates = yield* RateLimits
  const token = tokenOf(credential)
  // Strangers are counted by their address: whoever guesses tokens is stopped too.
  const stranger = Effect.suspend(() => rates.take(strangerAt(request.remoteAddress)))
  const caller = yield* Effect.tapErrorTag(callerOf(token, request), "Unauthenticated", () => stranger)
  exchange.userId = caller.user.id
  yield* rates.take(caller.user.id)
  yield* requireScope(caller.token.scopes, exchange.need.scope)
  yield* withinTask(caller, exchange)
  yield* exchange.enter(caller.user.id)
  yield* Effect.provideService(judge, CurrentUser, caller)
  yield* withinChange(caller, exchange)
  return caller
})

/**
 * Whether who asks where no token is needed has one that may read. One that is not good is none, and is counted by the
 * address that it came from.
 */
export const isReader = Effect.fnUntraced(function* ({ take }: RateLimits["Service"]) {
  const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
  const [, given = null] = /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "") ?? []
  if (given === null) return false
  return yield* Callers.byToken(Redacted.make(given)).pipe(
    // The agent of a Task reads that Task alone.
    Effect.map(({ run, token }) => run === undefined && token.scopes.includes("read")),
    Effect.catchTag("Unauthenticated", () => Effect.as(take(strangerAt(remoteAddress)), false))
  )
})

/** Fails with a problem: no token that is good, too little scope or role, or too many requests. */
export const layer: Layer.Layer<Authenticated, never, Commands | Ledger | Records | RateLimits> = Layer.effect(
  Authenticated,
  Effect.gen(function* () {
    const [commands, ledger, records, rates] = [yield* Commands, yield* Ledger, yield* Records, yield* RateLimits]
    return {
      bearer: (answer, { credential }) =>
        refusing(authenticated(credential)).pipe(
          Effect.updateContext((given: Context.Context<HttpServerRequest.HttpServerRequest>) =>
            given.pipe(
              Context.add(Commands, commands),
              Context.add(Ledger, ledger),
              Context.add(Records, records),
              Context.add(RateLimits, rates)
            )
          ),
          Effect.flatMap((caller) => Effect.provideService(answer, CurrentUser, caller))
        )
    }
  })
)
