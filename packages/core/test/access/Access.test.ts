import { Effect, Exit, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { InsufficientRole, requireRole, roleOf } from "@pawl/core/access/Access"
import * as Members from "@pawl/core/access/Members"
import * as Organizations from "@pawl/core/access/Organizations"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import * as Tokens from "@pawl/core/access/Tokens"
import * as Users from "@pawl/core/access/Users"
import * as Commit from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Records } from "@pawl/core/ledger/Records"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Project } from "@pawl/core/model/Project"

const layer = Layer.mergeAll(MemoryLedger.layerMemory, MemorySecrets.layerMemory)

const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
  Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(TestClock.layer())))

const first = { organization: "Home", owner: "Owner", token: Redacted.make("pawl_first-token") }

const count = (kind: "organization" | "user" | "token") =>
  Effect.flatMap(Records, (records) => Effect.map(records.list(kind, { limit: "all" }), (page) => page.items.length))

const project: Project = {
  id: "proj_00000000-0000-4000-8000-000000000001",
  organizationId: Organizations.firstOrganizationId,
  slug: "corner",
  name: "Corner",
  label: "corner",
  status: "active",
  createdBy: "system:test",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  cleanedAt: null
}

const storeProject = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { organizationId, slug, id } = project
  yield* ledger.commit({
    name: "test",
    projectId: null,
    writes: [Commit.insert("slug", { organizationId, slug, projectId: id })]
  })
  yield* ledger.commit({ name: "test", projectId: id, writes: [Commit.insert("project", project)] })
})

describe("The first start of an installation", () => {
  it("makes one organization, one owner and one token, however often it is repeated or raced", () =>
    run(
      Effect.gen(function* () {
        const all = yield* Effect.all(
          Array.from({ length: 8 }, () => Organizations.bootstrap(first)),
          { concurrency: "unbounded" }
        )
        expect(all.filter((each) => each.created).length).toBe(1)
        expect(new Set(all.map((each) => each.user.id)).size).toBe(1)
        expect([yield* count("organization"), yield* count("user"), yield* count("token")]).toEqual([1, 1, 1])
        const caller = yield* Tokens.authenticate(first.token)
        expect([caller.user.id, caller.token.scopes]).toEqual([all[0]?.user.id, Tokens.allScopes])
      })
    ))

  it("lets the owner in with another token that a later start gives", () =>
    run(
      Effect.gen(function* () {
        const { user } = yield* Organizations.bootstrap(first)
        const later = Redacted.make("pawl_later-token")
        yield* Organizations.bootstrap({ ...first, token: later })
        expect((yield* Tokens.authenticate(later)).user.id).toBe(user.id)
        expect((yield* Tokens.authenticate(first.token)).user.id).toBe(user.id)
      })
    ))

  it("refuses a token that is too short to be one", () =>
    run(
      Effect.gen(function* () {
        const refused = yield* Effect.exit(Organizations.bootstrap({ ...first, token: Redacted.make("short") }))
        expect(Exit.isFailure(refused)).toBe(true)
        expect(yield* count("organization")).toBe(0)
      })
    ))
})

describe("A token", () => {
  it("is stored only as its digest", () =>
    run(
      Effect.gen(function* () {
        const { user } = yield* Organizations.bootstrap(first)
        const { text, token } = yield* Tokens.issue(user.id, { name: "ci" }, Tokens.operator)
        const stored = (yield* (yield* Records).list("token", { limit: "all" })).items
        expect(JSON.stringify(stored)).not.toContain(Redacted.value(text))
        expect(JSON.stringify(stored)).not.toContain("pawl_")
        expect(token.hash).toMatch(/^[0-9a-f]{64}$/)
        expect(JSON.stringify({ text })).toBe(`{"text":"<redacted>"}`)
      })
    ))

  it("counts until the very moment that it expires", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1))
        const { user } = yield* Organizations.bootstrap(first)
        const { text } = yield* Tokens.issue(
          user.id,
          { name: "short", expiresAt: "2026-01-01T00:01:00.000Z" },
          Tokens.operator
        )
        yield* TestClock.adjust(59_999)
        expect((yield* Tokens.authenticate(text)).user.id).toBe(user.id)
        yield* TestClock.adjust(1)
        expect(yield* Effect.flip(Tokens.authenticate(text))).toMatchObject({
          _tag: "Unauthenticated",
          reason: "expired"
        })
      })
    ))

  it("makes no wider and no longer token", () =>
    run(
      Effect.gen(function* () {
        const { user } = yield* Organizations.bootstrap(first)
        const asking = { scopes: ["read", "admin"] as const, expiresAt: "2030-01-01T00:00:00.000Z" }
        expect(yield* Effect.flip(Tokens.issue(user.id, { name: "a", scopes: ["write"] }, asking))).toMatchObject({
          _tag: "ScopeExceedsToken",
          beyond: ["write"]
        })
        expect(
          yield* Effect.flip(Tokens.issue(user.id, { name: "a", expiresAt: "2031-01-01T00:00:00.000Z" }, asking))
        ).toMatchObject({ _tag: "ScopeExceedsToken", beyond: [], endsAt: asking.expiresAt })
        const { token } = yield* Tokens.issue(user.id, { name: "a" }, asking)
        expect([token.scopes, token.expiresAt]).toEqual([["read", "admin"], asking.expiresAt])
      })
    ))

  it("is one of a bounded number, until one is revoked", () =>
    run(
      Effect.gen(function* () {
        const { user } = yield* Organizations.bootstrap(first)
        const issue = Tokens.issue(user.id, { name: "one of many" }, Tokens.operator)
        yield* Effect.replicateEffect(issue, Limits.tokensPerUser - 2)
        const raced = yield* Effect.all([issue, issue, issue].map(Effect.result), { concurrency: "unbounded" })
        expect(raced.filter((each) => each._tag === "Success").length).toBe(1)
        const [won] = raced.flatMap((each) => (each._tag === "Success" ? [each.success] : []))
        yield* Tokens.revoke(won?.token.id ?? "")
        expect((yield* Effect.result(issue))._tag).toBe("Success")
      })
    ))
})

describe("A role on a Project", () => {
  it("comes from an entry, else from the organization, and owners are always admins", () =>
    run(
      Effect.gen(function* () {
        yield* storeProject
        const { user: owner } = yield* Organizations.bootstrap(first)
        const { user: colleague } = yield* Users.create(
          owner.id,
          {
            name: "Colleague",
            organizationId: project.organizationId
          },
          Tokens.operator
        )
        const { user: guest } = yield* Users.create(owner.id, { name: "Guest" }, Tokens.operator)
        const roles = Effect.forEach([owner, colleague, guest], (each) => roleOf(each.id, project))
        expect(yield* roles).toEqual(["admin", "member", null])
        yield* Members.replace(
          project.id,
          [owner, colleague, guest].map((each) => ({ userId: each.id, role: "viewer" as const }))
        )
        expect(yield* roles).toEqual(["admin", "viewer", "viewer"])
        yield* Members.replace(project.id, [{ userId: guest.id, role: "admin" }])
        expect(yield* roles).toEqual(["admin", "member", "admin"])
      })
    ))

  it("is refused as nothing to who has none, and by name to who has too little", () =>
    run(
      Effect.gen(function* () {
        yield* storeProject
        const { user: owner } = yield* Organizations.bootstrap(first)
        const { user: guest } = yield* Users.create(owner.id, { name: "Guest" }, Tokens.operator)
        const nowhere = "proj_00000000-0000-4000-8000-000000000002"
        expect(yield* Effect.flip(requireRole(guest.id, project.id, "viewer"))).toEqual(
          new Unknown({ kind: "project", id: project.id })
        )
        expect(yield* Effect.flip(requireRole(owner.id, nowhere, "viewer"))).toEqual(
          new Unknown({ kind: "project", id: nowhere })
        )
        yield* Members.replace(project.id, [{ userId: guest.id, role: "viewer" }])
        expect((yield* requireRole(guest.id, project.id, "viewer")).id).toBe(project.id)
        expect(yield* Effect.flip(requireRole(guest.id, project.id, "member"))).toEqual(
          new InsufficientRole({ held: "viewer", needed: "member" })
        )
      })
    ))

  it("is one list or the other when two lists are put at once", () =>
    run(
      Effect.gen(function* () {
        yield* storeProject
        const { user: owner } = yield* Organizations.bootstrap(first)
        const users = yield* Effect.forEach(["a", "b", "c", "d"], (name) =>
          Users.create(owner.id, { name }, Tokens.operator)
        )
        const entries = users.map(({ user }) => ({ userId: user.id, role: "viewer" as const }))
        const lists = [entries.slice(0, 2), entries.slice(2)]
        yield* Effect.all(
          lists.map((list) => Members.replace(project.id, list)),
          { concurrency: "unbounded" }
        )
        const ids = (yield* Members.list(project.id)).map((each) => each.record.userId)
        expect(lists.map((list) => list.map((each) => each.userId))).toContainEqual(ids)
      })
    ))
})

describe("A new user", () => {
  it("is made by owners only, in their own organization only", () =>
    run(
      Effect.gen(function* () {
        const { user: owner, organization } = yield* Organizations.bootstrap(first)
        const { user: colleague } = yield* Users.create(
          owner.id,
          {
            name: "Colleague",
            organizationId: organization.id
          },
          Tokens.operator
        )
        const { user: guest } = yield* Users.create(owner.id, { name: "Guest" }, Tokens.operator)
        const refusal = (userId: string, organizationId?: string) =>
          Effect.flip(
            Users.create(
              userId,
              { name: "x", ...(organizationId === undefined ? {} : { organizationId }) },
              Tokens.operator
            )
          )
        expect((yield* refusal(colleague.id, organization.id))._tag).toBe("InsufficientRole")
        expect((yield* refusal(colleague.id))._tag).toBe("InsufficientRole")
        expect((yield* refusal(guest.id, organization.id))._tag).toBe("Unknown")
      })
    ))
})
