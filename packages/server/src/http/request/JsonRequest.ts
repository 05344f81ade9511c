/** Reads a request's body as JSON, within the endpoint's bound, when the handler asks for it: after authentication. */
import { Effect, Stream } from "effect"
import { Headers, type HttpServerRequest } from "effect/http"
import { Limits } from "@pawl/core/primitives/Limits"
import { isTextTooDeep, tooDeep } from "@pawl/core/primitives/Nesting"
import { wholeText } from "@pawl/core/primitives/Utf8"
import type { Problem } from "../../api/Problem.ts"
import { problemOf } from "../answer/Problems.ts"
import type { Endpoint } from "./Endpoints.ts"

/** What an endpoint says of its body. */
type Asked = Pick<Endpoint, "bodyLimit" | "bodyNeeded">

const tooLarge = (limit: number) =>
  problemOf(
    413,
    "body_too_large",
    "The body is too large",
    `The body of this request may have at most ${limit} bytes. Send less at once.`,
    { maxBytes: limit }
  )

const notJson = (reason: string) =>
  problemOf(400, "invalid_json", "The body is not JSON", `The body could not be read as JSON: ${reason}`)

const noBody = (needed: string) =>
  problemOf(400, "invalid_field", "There is no body", `The body is empty: ${needed}`, { field: "" })

const tooDeepJson = problemOf(
  400,
  "too_deep",
  "The body is nested too deeply",
  `The body cannot be used: ${tooDeep}.`,
  { maxDepth: Limits.jsonDepth }
)

const forms = /^(multipart\/|application\/x-www-form-urlencoded)/i

const unsupported = (type: string) =>
  problemOf(
    415,
    "unsupported_media_type",
    "The body is not JSON",
    `Send JSON with Content-Type: application/json, not ${type.slice(0, Limits.repeatedNameLength)}.`
  )

/** The whole body, or a problem. What is over the bound is left: whoever holds the connection reads it on. */
const bodyText = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.fn.Return<string, Problem> {
  const declared = Number(request.headers["content-length"] ?? "0")
  if (declared > limit) return yield* tooLarge(limit)
  if (declared === 0 && request.headers["transfer-encoding"] === undefined && !hasStream(request)) return ""
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* request.stream.pipe(
    Stream.takeUntil(() => size > limit),
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        size += chunk.length
        if (size <= limit) chunks.push(chunk)
      })
    ),
    Effect.mapError(() => notJson("it ended early"))
  )
  if (size > limit) return yield* tooLarge(limit)
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return wholeText(whole) ?? (yield* notJson("it is not UTF-8"))
})

/** A web request has a body only when it says so; a Node request always has a stream, which may be empty. */
const hasStream = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { source } = request
  return typeof source !== "object" || source === null || !("body" in source) || source.body !== null
}

/** The text, once it is known to be JSON. */
const judged = (text: string, needed: string | null): Effect.Effect<string, Problem> =>
  // No body is an empty object, so that endpoints whose fields are all optional can be called without one.
  text.trim() === ""
    ? needed === null
      ? Effect.succeed("{}")
      : Effect.fail(noBody(needed))
    : isTextTooDeep(text)
      ? Effect.fail(tooDeepJson)
      : Effect.try({
          try: () => (JSON.parse(text), text),
          catch: (error) =>
            notJson(error instanceof Error ? error.message.slice(0, Limits.repeatedLength) : "it does not parse")
        })

const read = (
  request: HttpServerRequest.HttpServerRequest,
  { bodyLimit, bodyNeeded }: Asked
): Effect.Effect<string, Problem> => {
  const type = request.headers["content-type"] ?? ""
  return forms.test(type)
    ? Effect.fail(unsupported(type))
    : Effect.flatMap(bodyText(request, bodyLimit), (text) => judged(text, bodyNeeded))
}

/**
 * The request with its body read so. A problem is a defect there: the library knows no other failure of a body. It reads
 * the text as JSON once more, but of a text that is none it says nothing of what is wrong.
 */
export const jsonRequest = (
  request: HttpServerRequest.HttpServerRequest,
  endpoint: Asked
): HttpServerRequest.HttpServerRequest =>
  // No endpoint reads a body with these.
  request.method === "GET" || request.method === "HEAD"
    ? request
    : Object.create(request, {
        headers: { value: Headers.set(request.headers, "content-type", "application/json") },
        text: { get: () => Effect.orDie(read(request, endpoint)) }
      })
