/** Projects in an order of their own, of a user who may see more of them than are looked through anywhere. */
import { bootstrap, firstOrganizationId } from "@pawl/core/access/Organizations"
import { projectsOf, type ProjectsAsked } from "@pawl/core/access/ProjectSearch"
import * as Members from "@pawl/core/access/Members"
import * as Tokens from "@pawl/core/access/Tokens"
import * as Users from "@pawl/core/access/Users"
import * as Commit from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Project } from "@pawl/core/model/Project"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis } from "@pawl/core/primitives/Time"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { change } from "@pawl/testing/tools/StoreFixtures"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

const layer = Layer.mergeAll(MemoryLedger.layerMemory, MemorySecrets.layerMemory)
const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
  Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(TestClock.layer())))

const many = Limits.searchedRecords + 10
const start = Date.UTC(2030, 0, 1)
const idOf = (n: number): Project["id"] => `proj_${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`

const project = (n: number): Project => ({
  id: idOf(n),
  organizationId: firstOrganizationId,
  slug: `p${n}`,
  name: `p${n}`,
  label: `p${n}`,
  status: n % 2 === 0 ? "active" : "archived",
  createdBy: "usr_1",
  createdAt: fromMillis(start + n),
  updatedAt: fromMillis(start + n),
  cleanedAt: null
})

const seeded = Effect.gen(function* () {
  yield* TestClock.setTime(start + 100_000)
  const { user } = yield* bootstrap({ organization: "Home", owner: "Owner", token: Redacted.make("pawl_owner-token") })
  const ledger = yield* Ledger
  for (let n = 1; n <= many; n++)
    yield* ledger.commit({ name: "test", projectId: idOf(n), writes: [Commit.insert("project", project(n))] })
  // The oldest one moves.
  const moved = change(1, { projectId: idOf(1) })
  yield* ledger.commit({ name: "test", projectId: idOf(1), writes: [Commit.insert("change", moved)] })
  return user.id
})

const labels = (userId: string, asked: ProjectsAsked) =>
  Effect.map(projectsOf(userId, asked), ({ items, nextCursor }) => ({
    items: items.map(({ label }) => label),
    nextCursor
  }))

describe("Projects by what moved last", () => {
  it("are all told, page by page, the oldest first where it moved last", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* seeded
        const seen: Array<string> = []
        let cursor: string | null = null
        do {
          const page: Effect.Success<ReturnType<typeof labels>> = yield* labels(userId, {
            order: "moved",
            ...(cursor === null ? {} : { cursor })
          })
          seen.push(...page.items)
          cursor = page.nextCursor
        } while (cursor !== null)
        const others = Array.from({ length: many - 1 }, (_, n) => `p${many - n}`)
        expect(seen).toEqual(["p1", ...others])
      })
    ))

  it("are kept by status and by words however many are others", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* seeded
        const archived = yield* labels(userId, { order: "moved", status: "archived", limit: 2 })
        expect(archived.items).toEqual(["p1", `p${many - 1}`])
        const next = yield* labels(userId, {
          order: "moved",
          status: "archived",
          limit: 2,
          cursor: archived.nextCursor!
        })
        expect(next.items).toEqual([`p${many - 3}`, `p${many - 5}`])
        expect(yield* labels(userId, { order: "moved", q: idOf(2), limit: 1 })).toEqual({
          items: ["p2"],
          nextCursor: null
        })
        expect((yield* labels(userId, { order: "moved", q: "P2", status: "active", limit: 1 })).items).toHaveLength(1)
      })
    ))

  it("are those of an entry too, until it counts no more", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* seeded
        const { user } = yield* Users.create(userId, { name: "Guest" }, Tokens.operator)
        expect((yield* labels(user.id, { order: "moved" })).items).toEqual([])
        // Members are replaced where the Project's slug is held.
        const ledger = yield* Ledger
        for (const n of [1, 3]) {
          const slug = { organizationId: firstOrganizationId, slug: `p${n}`, projectId: idOf(n) }
          yield* ledger.commit({ name: "test", projectId: null, writes: [Commit.insert("slug", slug)] })
        }
        for (const n of [3, 1]) yield* Members.replace(idOf(n), [{ userId: user.id, role: "viewer" }])
        expect(yield* labels(user.id, { order: "moved" })).toEqual({ items: ["p1", "p3"], nextCursor: null })
        yield* Members.replace(idOf(1), [])
        expect((yield* labels(user.id, { order: "moved" })).items).toEqual(["p3"])
      })
    ))
})
