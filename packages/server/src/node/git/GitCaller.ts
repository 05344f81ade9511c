/** Who asks by git: a token as the password of HTTP Basic, as git sends it, or as a bearer token. */
import type { IncomingMessage } from "node:http"
import { requireRole, requireScope } from "@pawl/core/access/Access"
import { Unauthenticated } from "@pawl/core/access/Tokens"
import { Effect, Option, Redacted } from "effect"
import { byToken } from "../../http/request/Callers.ts"
import type { Need } from "../../api/Needs.ts"
import { beyond } from "../../http/request/TaskReach.ts"
import { RateLimits, strangerAt } from "../../http/request/RateLimits.ts"

/** The token of an `Authorization` header; null without any. A user name says nothing here. */
const tokenIn = (header: string | undefined): Redacted.Redacted | null => {
  const [, scheme = "", value = ""] = /^(basic|bearer) +(\S+) *$/i.exec(header ?? "") ?? []
  if (value === "") return null
  if (scheme.toLowerCase() === "bearer") return Redacted.make(value)
  // Read strictly: what only a lenient reader takes for a token, nobody else would know for one.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return Redacted.make("")
  const text = Buffer.from(value, "base64").toString("utf8")
  const colon = text.indexOf(":")
  return Redacted.make(colon < 0 ? "" : text.slice(colon + 1))
}

/**
 * The caller and the Project, when the token's scopes and the caller's role cover the need; else it fails as the API
 * does. The request is counted.
 */
export const demandCaller = Effect.fnUntraced(function* (
  request: IncomingMessage,
  address: string,
  projectId: string,
  need: Need
) {
  const rates = yield* RateLimits
  const stranger = rates.take(strangerAt(Option.some(address)))
  const token = tokenIn(request.headers.authorization)
  const caller = yield* token === null
    ? Effect.andThen(stranger, new Unauthenticated({ reason: "missing" }))
    : Effect.tapErrorTag(byToken(token), "Unauthenticated", () => stranger)
  yield* rates.take(caller.user.id)
  // The token of a Task knows of no other Project.
  if (caller.run !== undefined && caller.run.projectId !== projectId) return yield* beyond(caller.run)
  yield* requireScope(caller.token.scopes, need.scope)
  const project = yield* requireRole(caller.user.id, projectId, need.role ?? "admin")
  return { caller, project }
})
