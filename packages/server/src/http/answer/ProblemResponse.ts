/** Turns whatever ends a request into an answer, and gives every answer its headers. */
import { shapeProblems } from "@pawl/core/primitives/ShapeProblems"
import { Limits } from "@pawl/core/primitives/Limits"
import { short } from "@pawl/core/primitives/ShortText"
import { Cause, Effect } from "effect"
import { HttpServerError, HttpServerResponse, ProblemDetails } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { ServerLimits } from "../../ServerLimits.ts"
import { bodyOf, Problem } from "../../api/Problem.ts"
import { Exchange } from "../request/Exchange.ts"
import { answerHeaders } from "./AnswerHeaders.ts"
import { internal, noSuchPath, problemOf } from "./Problems.ts"

/** Codes of their own for fields whose refusal has a name. */
const codes: Readonly<Record<string, string>> = { slug: "invalid_slug", budget_usd: "invalid_budget" }

/** What a schema says, in one line and with little of what was sent. */
const reasonOf = (messages: ReadonlyArray<string>): string => {
  const words = /^Expected ("[^"]*"(?: \| "[^"]*")+), actual /.exec(messages[0] ?? "")?.[1]
  if (words !== undefined) return `use one of ${words.replaceAll('" | "', '", "')}`
  return short(messages[0]?.split("\n", 1)[0] ?? "")
}

const fieldProblem = (error: HttpApiError.HttpApiSchemaError): Problem => {
  const byField = new Map<string, Array<string>>()
  for (const { message, path } of shapeProblems(error.cause)) {
    const field = path.map(String).join(".").slice(0, Limits.repeatedLength)
    byField.set(field, [...(byField.get(field) ?? []), message])
  }
  const issues = Array.from(byField, ([field, messages]) => ({
    field,
    reason: field === "" ? "it must be a JSON object" : reasonOf(messages)
  })).slice(0, ServerLimits.fieldsNamed)
  const { field, reason } = issues[0] ?? { field: "", reason: "it has not the right shape" }
  return problemOf(
    400,
    codes[field] ?? "invalid_field",
    "A field cannot be used",
    `${field === "" ? "The body" : field}: ${reason}.`,
    { field, issues }
  )
}

const headersOf = (problem: Problem): Record<string, string> => {
  const { retryAfterSeconds, allow, reason } = problem.facts
  const error = reason === "missing" ? "" : `, error="invalid_token", error_description="${String(reason)}"`
  return {
    ...(typeof retryAfterSeconds === "number" ? { "retry-after": String(retryAfterSeconds) } : {}),
    ...(Array.isArray(allow) ? { allow: allow.join(", ") } : {}),
    ...(problem.status === 401 ? { "www-authenticate": `Bearer realm="pawl"${error}` } : {})
  }
}

/**
 * The problem as `application/problem+json` (RFC 9457), with the headers that its facts ask for: `retry-after`,
 * `allow`, `www-authenticate`.
 */
export const problemResponse = (problem: Problem, requestId: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(
    ProblemDetails.toResponse(bodyOf(new Problem({ ...problem, requestId }))),
    headersOf(problem)
  )

/** What of a request a schema reads. Where an answer does not fit the contract it is our mistake. */
const asked: ReadonlySet<HttpApiError.HttpApiSchemaError["kind"]> = new Set(["Params", "Query", "Headers", "Payload"])

/** The problem of a failure or of a defect; null for a mistake of ours, whose cause goes to the log. */
const known = (error: unknown): Problem | null => {
  if (error instanceof Problem) return error
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
    return noSuchPath(error.request.url)
  if (HttpApiError.HttpApiSchemaError.is(error) && asked.has(error.kind)) return fieldProblem(error)
  return null
}

/** Answers a cause. What only says that the caller went away stays as it is. */
export const answerCause = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, unknown> {
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
  const { requestId } = yield* Exchange
  const problem = known(Cause.squash(cause))
  if (problem === null) yield* Effect.logError("request failed", cause).pipe(Effect.annotateLogs({ requestId }))
  return problemResponse(problem ?? internal(), requestId)
})

/** The answer with the headers that every answer has. */
export const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  path: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, answerHeaders(requestId, path, response.headers["etag"] !== undefined))
