import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { hasLeft, roleOf, visibleProjects } from "@pawl/core/access/Access"
import { user as userActor } from "@pawl/core/model/Actor"
import { entriesOf } from "@pawl/core/access/Departures"
import * as Keepers from "@pawl/core/access/Keepers"
import type { User } from "@pawl/core/model/Membership"
import * as Members from "@pawl/core/access/Members"
import * as Organizations from "@pawl/core/access/Organizations"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import * as Tokens from "@pawl/core/access/Tokens"
import { requireStillIn } from "@pawl/core/access/StillIn"
import * as Users from "@pawl/core/access/Users"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Records } from "@pawl/core/ledger/Records"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Project } from "@pawl/core/model/Project"

const layer = Layer.mergeAll(MemoryLedger.layerMemory, MemorySecrets.layerMemory)

const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
  Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(TestClock.layer())))

const home = Organizations.firstOrganizationId
const { operator } = Tokens

const begin = Effect.map(
  Organizations.bootstrap({ organization: "Home", owner: "Owner", token: Redacted.make("pawl_first-token") }),
  ({ user }) => user
)
const colleague = (owner: User, name: string, role: "owner" | "member" = "member") =>
  Effect.map(Users.create(owner.id, { name, organizationId: home, role }, operator), ({ user }) => user)

/** A Project as its creator leaves it: with an entry of their own. */
const projectOf = (creator: User, n: number) =>
  Effect.gen(function* () {
    const id: Project["id"] = `proj_00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
    const slug = `p${n}`
    const time = creator.createdAt
    const project: Project = {
      id,
      organizationId: home,
      slug,
      name: slug,
      label: slug,
      status: "active",
      createdBy: creator.id,
      createdAt: time,
      updatedAt: time,
      cleanedAt: null
    }
    const ledger = yield* Ledger
    const entry = Commit.insert("membership", { projectId: id, userId: creator.id, role: "admin" })
    yield* ledger.commit({
      name: "test",
      projectId: null,
      writes: [Commit.insert("slug", { organizationId: home, slug, projectId: id }), entry]
    })
    yield* ledger.commit({ name: "test", projectId: id, writes: [Commit.insert("project", project)] })
    return project
  })

const put = (owner: User, ...members: ReadonlyArray<User>) =>
  Members.replaceOfOrganization(
    home,
    [{ userId: owner.id, role: "owner" }, ...members.map(({ id }) => ({ userId: id, role: "member" as const }))],
    operator
  )

describe("Who left an organization", () => {
  it("holds nothing in its Projects any more, however many, not what they created either, until they are let in again", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const creator = yield* colleague(owner, "Creator")
        const projects = yield* Effect.forEach(
          Array.from({ length: 3 }, (_, n) => n),
          (n) => projectOf(creator, n)
        )
        const roles = Effect.forEach(projects, (project) => roleOf(creator.id, project))
        const seen = Effect.map(visibleProjects(creator.id, {}), ({ items }) => items.length)
        expect([yield* roles, yield* seen]).toEqual([["admin", "admin", "admin"], 3])

        yield* put(owner)
        expect([yield* roles, yield* seen]).toEqual([[null, null, null], 0])
        expect(yield* entriesOf(creator.id)).toEqual([])
        for (const { id } of projects) expect(yield* Members.list(id)).toEqual([])

        // By a list of the Project, as a guest.
        const [first, second] = projects as [Project, Project]
        yield* Members.replace(first.id, [{ userId: creator.id, role: "viewer" }])
        expect([yield* roles, yield* seen]).toEqual([["viewer", null, null], 1])
        expect((yield* entriesOf(creator.id)).map(({ projectId }) => projectId)).toEqual([first.id])

        // Back in the organization what was held before stays gone, what was given since stays.
        yield* put(owner, creator)
        expect([yield* roles, yield* seen]).toEqual([["viewer", "member", "member"], 3])
        yield* Members.replace(second.id, [{ userId: creator.id, role: "admin" }])
        yield* put(owner)
        expect(yield* roles).toEqual([null, null, null])
      })
    ))

  it("is told from who is there by hasLeft", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const gone = yield* colleague(owner, "Gone")
        const ended = yield* colleague(owner, "Ended")
        const { user: guest } = yield* Users.create(owner.id, { name: "Guest" }, operator)
        const project = yield* projectOf(gone, 1)
        yield* Members.replace(
          project.id,
          [gone, guest].map(({ id }) => ({ userId: id, role: "member" as const }))
        )
        const left = Effect.forEach([owner, gone, ended, guest], ({ id }) => hasLeft(id, project))
        expect(yield* left).toEqual([false, false, false, false])
        yield* put(owner, ended)
        yield* Keepers.disable(ended.id, null)
        expect(yield* left).toEqual([false, true, true, false])
        yield* Keepers.disable(guest.id, null)
        expect(yield* left).toEqual([false, true, true, true])
        expect(yield* hasLeft("system:auto-promotion", project)).toBe(true)
      })
    ))

  it("can all leave at once, and as many others come", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const many = Array.from({ length: 2 * Limits.membersPerList - 1 }, (_, n) => `u${n}`)
        const users = yield* Effect.forEach(many, (name) => Users.create(owner.id, { name }, operator))
        const all = users.map(({ user }) => user)
        const half = Limits.membersPerList - 1
        yield* put(owner, ...all.slice(0, half))
        yield* put(owner, ...all.slice(half, 2 * half))
        expect((yield* Members.listOfOrganization(home)).length).toBe(half + 1)
        yield* put(owner, ...all.slice(0, half))
        expect((yield* Members.listOfOrganization(home)).length).toBe(half + 1)
      })
    ))
})

describe("A user who was disabled", () => {
  it("is let in by no token, in no organization, and in no list again", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const { text, user } = yield* Users.create(owner.id, { name: "Ended", organizationId: home }, operator)
        const caller = yield* Tokens.authenticate(text)
        yield* requireStillIn(caller)
        yield* Keepers.disable(user.id, null)
        const refused = { _tag: "Unauthenticated", reason: "disabled" }
        expect(yield* Effect.flip(Tokens.authenticate(text))).toMatchObject(refused)
        expect(yield* Effect.flip(requireStillIn(caller))).toMatchObject(refused)
        expect((yield* Users.list(home, {})).items.map(({ id }) => id)).toEqual([owner.id])
        expect(yield* Effect.flip(put(owner, user))).toMatchObject({ field: "members.1.userId" })
        const project = yield* projectOf(owner, 1)
        expect(yield* Effect.flip(Members.replace(project.id, [{ userId: user.id, role: "viewer" }]))).toMatchObject({
          field: "members.0.userId"
        })
        // What was under way when it happened makes nothing either.
        expect(yield* Effect.flip(Organizations.create(user.id, "Mine"))).toBeInstanceOf(Unknown)
        // Safe to repeat.
        const again = yield* Keepers.disable(user.id, null)
        expect(again.disabledAt).toBe((yield* demand("user", user.id)).record.disabledAt)
      })
    ))

  it("has left more organizations than one commit holds", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const victim = yield* colleague(owner, "Victim")
        const makers = yield* Effect.forEach(["a", "b", "c"], (name) => colleague(owner, name))
        for (const maker of makers)
          for (let n = 0; n < Limits.organizationsPerUser; n++) {
            const made = yield* Organizations.create(maker.id, `o${n}`)
            yield* Members.replaceOfOrganization(
              made.id,
              [
                { userId: maker.id, role: "owner" },
                { userId: victim.id, role: "owner" }
              ],
              operator
            )
          }
        yield* Keepers.disable(victim.id, null)
        const places = yield* (yield* Records).list("organizationMember", {
          where: { userId: victim.id },
          limit: "all"
        })
        expect(places.items).toEqual([])
      })
    ))

  it("is never the last owner of an organization, also when two owners end each other", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const second = yield* colleague(owner, "Second", "owner")
        const both = yield* Effect.all(
          [owner, second].map(({ id }) => Effect.result(Keepers.disable(id, null))),
          { concurrency: "unbounded" }
        )
        expect(both.map((each) => each._tag).toSorted()).toEqual(["Failure", "Success"])
        const [last] = yield* Members.listOfOrganization(home)
        expect(last?.record.role).toBe("owner")
        expect(yield* Effect.flip(Keepers.disable(last?.record.userId ?? "", null))).toMatchObject({
          _tag: "LastOwner"
        })
      })
    ))
})

describe("Who answers for a user", () => {
  it("owns the organization that made the user, whoever else puts them anywhere, or else all that they are in", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const person = yield* colleague(owner, "Person")
        const other = yield* colleague(owner, "Other")
        const { user: guest, text } = yield* Users.create(owner.id, { name: "Guest" }, operator)
        const asks = (caller: User, about: User) => Effect.result(Keepers.requireKeeper(caller.id, about.id))
        expect((yield* asks(owner, person))._tag).toBe("Success")
        expect((yield* asks(owner, guest))._tag).toBe("Success")
        expect(yield* asks(other, person)).toMatchObject({ failure: { _tag: "InsufficientRole" } })
        expect(yield* asks(guest, person)).toMatchObject({ failure: { _tag: "Unknown" } })
        expect(yield* asks(other, guest)).toMatchObject({ failure: { _tag: "InsufficientRole" } })

        // Nobody gets hold of others by putting them into an organization of their own.
        const mine = yield* Organizations.create(other.id, "Mine")
        yield* Members.replaceOfOrganization(
          mine.id,
          [
            { userId: other.id, role: "owner" },
            ...[person, guest, owner].map(({ id }) => ({ userId: id, role: "member" as const }))
          ],
          operator
        )
        for (const about of [person, guest]) {
          expect((yield* asks(owner, about))._tag).toBe("Success")
          expect(yield* asks(other, about)).toMatchObject({ failure: { _tag: "BelongsElsewhere" } })
        }
        // Nor does anybody escape by an organization of their own.
        yield* Organizations.create(person.id, "Shelter")
        expect((yield* asks(owner, person))._tag).toBe("Success")
        expect((yield* Keepers.disable(person.id, owner.id)).disabledAt).toBeDefined()
        const token = (yield* Tokens.authenticate(text)).token.id
        expect(yield* Effect.flip(Keepers.revokeFor(other.id, token))).toMatchObject({ _tag: "BelongsElsewhere" })
        expect(yield* Effect.flip(Keepers.revokeFor(person.id, token))).toEqual(
          new Unknown({ kind: "token", id: token })
        )
        expect((yield* Keepers.revokeFor(guest.id, token)).revokedAt).not.toBeNull()

        // Who left for another organization answers to that one, and to who made them when they are nowhere.
        const mover = yield* colleague(owner, "Mover")
        yield* Members.replaceOfOrganization(
          mine.id,
          [
            { userId: other.id, role: "owner" },
            { userId: mover.id, role: "member" }
          ],
          operator
        )
        yield* put(owner, other)
        expect(yield* asks(owner, mover)).toMatchObject({ failure: { _tag: "BelongsElsewhere" } })
        yield* Members.replaceOfOrganization(mine.id, [{ userId: other.id, role: "owner" }], operator)
        expect((yield* asks(owner, mover))._tag).toBe("Success")
      })
    ))
})

describe("Making organizations and users", () => {
  it("is bounded, for who is made as for who makes", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const maker = yield* colleague(owner, "Maker")
        const mine = yield* Organizations.create(maker.id, "Mine")
        const { user: made } = yield* Users.create(maker.id, { name: "Made", organizationId: mine.id }, operator)
        const theirs = yield* Organizations.create(made.id, "Theirs")
        const organizations = [
          ...Array.from({ length: Limits.organizationsPerUser - 3 }, () => maker.id),
          ...Array.from({ length: 3 }, () => made.id)
        ].map((id) => Effect.result(Organizations.create(id, "More")))
        const raced = yield* Effect.all(organizations, { concurrency: 4 })
        const refused = raced.filter((each) => each._tag === "Failure")
        expect(refused).toMatchObject([
          { failure: { _tag: "OrganizationLimit", max: Limits.organizationsPerUser } },
          {}
        ])

        const user = (by: User, organizationId: string) =>
          Effect.result(Users.create(by.id, { name: "One more", organizationId }, operator))
        // The last place of a list is not what stops them: those made leave the list at once.
        for (let n = 0; n < Limits.usersPerUser - 1; n++) {
          const by = n % 2 === 0 ? { who: maker, where: mine } : { who: made, where: theirs }
          yield* user(by.who, by.where.id)
          const alone = [{ userId: by.who.id, role: "owner" as const }]
          if (n % 100 > 97) yield* Members.replaceOfOrganization(by.where.id, alone, operator)
        }
        const limit = { failure: { _tag: "UserLimit", max: Limits.usersPerUser } }
        expect([yield* user(maker, mine.id), yield* user(made, theirs.id)]).toMatchObject([limit, limit])
        // Others are not in the way, and one who is disabled makes room for one.
        expect((yield* user(owner, home))._tag).toBe("Success")
        const [, last] = yield* Members.listOfOrganization(theirs.id)
        yield* Keepers.disable(last?.record.userId ?? "", null)
        expect((yield* user(maker, mine.id))._tag).toBe("Success")
        expect(yield* user(maker, mine.id)).toMatchObject(limit)
      })
    ))
})

describe("A Project that is created while its creator leaves", () => {
  it("is not created", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const creator = yield* colleague(owner, "Creator")
        yield* put(owner)
        const { create } = yield* Effect.promise(() => import("@pawl/core/project/Projects"))
        const refused = create(userActor(creator.id), { organizationId: home, slug: "late", files: null })
        expect(yield* Effect.flip(refused as Effect.Effect<unknown, unknown, Ledger>)).toEqual(
          new Unknown({ kind: "organization", id: home })
        )
      })
    ))
})
