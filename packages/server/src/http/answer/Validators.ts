/** Answers with an entity tag (RFC 9110): who has one already is told so, and who changes a list says which one they saw. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { entityTag, namesWeakly } from "@pawl/core/primitives/Conditional"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { ApiSettings } from "../ApiSettings.ts"
import { Exchange } from "../request/Exchange.ts"

/** Gives the answer of this request a tag, which `entityTag` makes. */
export const withTag = (tag: string): Effect.Effect<void> =>
  Effect.map(Exchange, (exchange) => void (exchange.tag = tag))

/**
 * Gives the answer the tag of what never changes: equal names are equal answers of this endpoint, in this version. A newer
 * one may tell it in another way.
 */
export const withFinalTag = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const { version } = yield* ApiSettings
  yield* withTag(entityTag(version, (yield* Exchange).path, ...names))
})

/** Answers what a handler answers with the tag of all that it says, for what is short. */
export const taggedWhole = Effect.fnUntraced(function* <A extends object>(value: A) {
  yield* withFinalTag(yield* sha256(utf8(JSON.stringify(value))))
  return value
})

/** What the caller says in If-Match: tags of what may be there; null for anything. */
export const ifMatch = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => headers["if-match"] ?? null)

const reads: ReadonlySet<string> = new Set(["GET", "HEAD"])
const good: ReadonlySet<number> = new Set([200, 206])

/** The answer with its tag; 304 without a body where the caller has it. Others stay as they are. */
export const validated = (
  request: HttpServerRequest.HttpServerRequest,
  tag: string | null,
  given: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  if (tag === null || !good.has(given.status)) return given
  const had = request.headers["if-none-match"]
  if (had !== undefined && reads.has(request.method) && namesWeakly(had, tag))
    return HttpServerResponse.empty({ status: 304, headers: { etag: tag } })
  return HttpServerResponse.setHeader(given, "etag", tag)
}
