/** Ends a handler: refusals become problems, and what is not the caller's fault is logged. */
import { Effect, Layer } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Problem } from "../../api/Problem.ts"
import { Refusing } from "../../api/AnyRefusal.ts"
import { Exchange } from "../request/Exchange.ts"
import { toProblem } from "./Problems.ts"
import type { Refusal } from "./Refusal.ts"

const isProblem = (error: Refusal | Problem): error is Problem => error instanceof Problem

const settle = (error: Refusal | Problem): Effect.Effect<never, Problem> => {
  if (isProblem(error)) return Effect.fail(error)
  const problem = toProblem(error)
  const log = problem.status >= 500 ? Effect.logError("unavailable", error) : Effect.void
  return Effect.andThen(log, Effect.fail(problem))
}

/** Fails with the problem that the table has for the refusal. */
export const refusing = <A, E extends Refusal | Problem, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Problem, R> => Effect.catch(effect, settle)

/** Ends a handler: answers what the effect answers, or fails with the problem of its refusal. */
export const answering = <A, E extends Refusal | Problem, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, Problem, R> =>
  Effect.flatMap(refusing(effect), (value) =>
    Effect.map(Exchange, (exchange) => {
      exchange.handled = true
      return exchange.answer(value) ?? value
    })
  )

/**
 * Problems leave the endpoint as defects, as all else that ends a request does: they are answered in one place, where the
 * request's id and their headers are known. What the library makes of a failure has neither.
 */
export const layer: Layer.Layer<Refusing> = Layer.succeed(Refusing, (answer) => Effect.orDie(answer))
