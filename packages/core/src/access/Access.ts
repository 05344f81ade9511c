/** Who may do what on a Project. What a caller may not see does not exist for them. */
import { Effect, Schema } from "effect"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Project } from "../model/Project.ts"
import { departuresOf, entriesOf, isCurrent, placeOf } from "./Departures.ts"
import type { Actor } from "../model/Actor.ts"
import { covers, type Role, type Scope } from "../model/Membership.ts"

/** The caller belongs here, but their role is too weak for this. */
export class InsufficientRole extends Schema.TaggedError<InsufficientRole>()("InsufficientRole", {
  held: Schema.String,
  needed: Schema.String
}) {
  override get message() {
    return `This needs the role ${this.needed}; yours is ${this.held}.`
  }
}

/** The caller's token may not do this, whatever the caller's role is. */
export class InsufficientScope extends Schema.TaggedError<InsufficientScope>()("InsufficientScope", {
  held: Schema.Array(Schema.String),
  needed: Schema.String
}) {
  override get message() {
    return `This needs a token with the scope ${this.needed}; this one has ${this.held.join(", ") || "none"}.`
  }
}

/**
 * The role of a user on a Project, or `null` without any. Owners of the organization are admins; else an entry of
 * the Project decides, unless the user has left the organization since it was given, and members of the organization
 * without one have the role `member`.
 */
export const roleOf = Effect.fnUntraced(function* (userId: string, project: Pick<Project, "id" | "organizationId">) {
  const { place, stay } = yield* placeOf(project.organizationId, userId)
  if (place?.record.role === "owner") return "admin" as const
  const entry = yield* find("membership", `${project.id}/${userId}`)
  if (entry !== null && isCurrent(entry.record, stay)) return entry.record.role
  return place === null ? null : ("member" as const)
})

/** Whether a user has nothing to do with a Project any more: disabled, or without any role there. */
export const hasLeft = Effect.fnUntraced(function* (userId: string, project: Pick<Project, "id" | "organizationId">) {
  const user = yield* find("user", userId)
  return user?.record.disabledAt !== undefined || (yield* roleOf(userId, project)) === null
})

/**
 * The Project, when the user's role covers what is needed. Fails with `Unknown` of what was asked for when the user
 * has no role there, exactly as if it did not exist, and with `InsufficientRole` when the role is too weak.
 */
export const requireRole = Effect.fnUntraced(function* (
  userId: string,
  projectId: string,
  needed: Role,
  asked: { readonly kind: string; readonly id: string } = { kind: "project", id: projectId }
) {
  const project = (yield* find("project", projectId))?.record
  const held = project === undefined ? null : yield* roleOf(userId, project)
  if (project === undefined || held === null) return yield* new Unknown(asked)
  if (!covers(held, needed)) return yield* new InsufficientRole({ held, needed })
  return project
})

/** Fails with `InsufficientScope` unless the scopes hold the one that is needed. */
export const requireScope = (held: ReadonlyArray<Scope>, needed: Scope): Effect.Effect<void, InsufficientScope> =>
  held.includes(needed) ? Effect.void : new InsufficientScope({ held, needed })

/** All that may be done in the name of an agent, with whatever credentials it has. */
const agentScopes: ReadonlyArray<Scope> = ["read", "write"]

/** Fails with `InsufficientScope` for an agent: what needs this scope is for people, and for Pawl itself. */
export const refuseAgents = (
  actor: Actor,
  needed: Exclude<Scope, "read" | "write">
): Effect.Effect<void, InsufficientScope> => (actor.type === "agent" ? requireScope(agentScopes, needed) : Effect.void)

const organizationsOf = (userId: string) =>
  Effect.flatMap(Records, (records) => records.list("organizationMember", { where: { userId }, limit: "all" })).pipe(
    Effect.map((page) => page.items.map((each) => each.record.organizationId))
  )

/** Which Projects a user may see, for a store to look them up: those of the user's organizations, and others with an entry that counts. */
export const sightOf = Effect.fnUntraced(function* (userId: string) {
  const records = yield* Records
  const organizations = yield* organizationsOf(userId)
  const entries = yield* entriesOf(userId)
  const projects = yield* records.many(
    "project",
    entries.map(({ projectId }) => projectId)
  )
  return {
    organizations,
    projects: Array.from(projects.values(), ({ record }) => record)
      .filter(({ organizationId }) => !organizations.includes(organizationId))
      .map(({ id }) => id)
  }
})

/**
 * The Projects that a user may see, a page at a time: those of the user's organizations, then those of others that
 * the user has an entry in. A cursor says in which of the two it is.
 */
export const visibleProjects = Effect.fnUntraced(function* (
  userId: string,
  page: { readonly limit?: number; readonly cursor?: string }
) {
  const records = yield* Records
  const organizations = yield* organizationsOf(userId)
  const limit = Math.min(page.limit ?? Limits.pageSize, Limits.pageSize)
  const items: Array<Project> = []
  const cursors: Array<string> = []
  let entries: string | undefined = page.cursor?.startsWith("m") === true ? page.cursor.slice(1) : undefined
  if (entries === undefined && organizations.length > 0) {
    const cursor = page.cursor?.startsWith("o") === true ? { cursor: page.cursor.slice(1) } : {}
    const own = yield* records.list("project", { where: { organizationId: organizations }, limit, ...cursor })
    items.push(...own.items.map((each) => each.record))
    cursors.push(...own.cursors.map((each) => `o${each}`))
    if (own.nextCursor !== null) return { items, cursors, nextCursor: `o${own.nextCursor}` }
  }
  while (items.length < limit) {
    const cursor = entries === undefined || entries === "" ? {} : { cursor: entries }
    const more = yield* records.list("membership", { where: { userId }, limit: limit - items.length, ...cursor })
    for (const [index, { record }] of more.items.entries()) {
      const project = yield* find("project", record.projectId)
      if (project === null || organizations.includes(project.record.organizationId)) continue
      if (!isCurrent(record, yield* departuresOf(project.record.organizationId, userId))) continue
      items.push(project.record)
      cursors.push(`m${more.cursors[index] ?? ""}`)
    }
    if (more.nextCursor === null) return { items, cursors, nextCursor: null }
    entries = more.nextCursor
  }
  return { items, cursors, nextCursor: `m${entries ?? ""}` }
})
