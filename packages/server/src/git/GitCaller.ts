/** Who asks by git: a token as the password of HTTP Basic, as git sends it, or as a bearer token. */
import { requireRole, requireScope } from "@pawl/core/access/Access"
import { Unauthenticated } from "@pawl/core/access/Tokens"
import { textOf } from "@pawl/core/primitives/Utf8"
import { Effect, Option, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"
import { byToken } from "../http/request/Callers.ts"
import type { Need } from "../api/Needs.ts"
import { beyond } from "../http/request/TaskReach.ts"
import { RateLimits, strangerAt } from "../http/request/RateLimits.ts"

/** The token of an `Authorization` header; null without any. A user name says nothing here. */
const tokenIn = (header: string | null): Redacted.Redacted | null => {
  const [, scheme = "", value = ""] = /^(basic|bearer) +(\S+) *$/i.exec(header ?? "") ?? []
  if (value === "") return null
  if (scheme.toLowerCase() === "bearer") return Redacted.make(value)
  // Read strictly: what only a lenient reader takes for a token, nobody else would know for one.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return Redacted.make("")
  const text = Result.match(Base64.decode(value), { onFailure: () => "", onSuccess: textOf })
  const colon = text.indexOf(":")
  return Redacted.make(colon < 0 ? "" : text.slice(colon + 1))
}

/**
 * The caller and the Project, when the token's scopes and the caller's role cover the need; else it fails as the API
 * does. The request is counted. `authorization` is the header's text.
 */
export const demandCaller = Effect.fnUntraced(function* (
  authorization: string | null,
  address: string,
  projectId: string,
  need: Need
) {
  const rates = yield* RateLimits
  const stranger = rates.take(strangerAt(Option.some(address)))
  const token = tokenIn(authorization)
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
