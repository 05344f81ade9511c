/** Answers with an entity tag (RFC 9110): who has one already is told so, and who changes a list says which one they saw. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { namesWeakly } from "@pawl/core/primitives/Conditional"
import { Exchange } from "../request/Exchange.ts"

/** Gives the answer of this request a tag, which `entityTag` makes. */
export const withTag = (tag: string): Effect.Effect<void> =>
  Effect.map(Exchange, (exchange) => void (exchange.tag = tag))

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
