/** What a caller must have for an endpoint: a role on the Project, and a token with the scope. Part of the contract. */
import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { Role, Scope } from "@pawl/core/model/Membership"

/** What a token and its user must both allow. */
export interface Need {
  readonly scope: Scope
  /** On the Project that the path leads to; `null` where the path leads to none. */
  readonly role: Role | null
}

/** The annotation that every endpoint behind authentication carries. */
export class Needs extends Context.Service<Needs, Need>()("@pawl/server/api/Needs") {}

/** The largest body of an endpoint, in bytes; `ServerLimits.bodyBytes` without it. */
export class BodyLimit extends Context.Service<BodyLimit, number>()("@pawl/server/api/BodyLimit") {}

/** What to send, of an endpoint that takes no empty body for `{}`: nobody means to set all of it to its defaults. */
export class BodyNeeded extends Context.Service<BodyNeeded, string>()("@pawl/server/api/BodyNeeded") {}

/** To look at a Project. */
export const reading: Need = { scope: "read", role: "viewer" }
/** To work on a Project. */
export const writing: Need = { scope: "write", role: "member" }
/** To decide on a Candidate. */
export const approving: Need = { scope: "approve", role: "member" }
/** To promote a Candidate. */
export const promoting: Need = { scope: "promote", role: "member" }
/** To settle who and what governs a Project. */
export const administering: Need = { scope: "admin", role: "admin" }
/** About the caller, or what the caller may see: no Project is named. */
export const readingOwn: Need = { scope: "read", role: null }
/** To make what the caller then owns. */
export const writingOwn: Need = { scope: "write", role: null }
/** About users, tokens and organizations. Who may is decided by the use case. */
export const administeringOwn: Need = { scope: "admin", role: null }

const inWords = (need: Need): string =>
  need.role === null
    ? `Needs a token with the scope \`${need.scope}\`.`
    : `Needs the role \`${need.role}\` and a token with the scope \`${need.scope}\`.`

/** What an endpoint needs and is for, for the server and for readers alike. */
export const about = (need: Need, summary: string, description = ""): Context.Context<Needs> =>
  Context.merge(
    OpenApi.annotations({ summary, description: `${description} ${inWords(need)}`.trim() }),
    Context.make(Needs, need)
  )
