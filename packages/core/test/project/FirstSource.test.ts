import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { remove } from "@pawl/core/app/Removal"
import { demand, find } from "@pawl/core/ledger/Decision"
import { sourceIndexKey } from "@pawl/core/project/SourceIndex"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Projects from "@pawl/core/project/Projects"
import { Repositories } from "@pawl/core/project/Repositories"
import { organizationId, person } from "../kit/MemoryPawl.ts"
import { pointerOf } from "../kit/ReleaseScenes.ts"
import { type Hands, inWorld, settleAll } from "../kit/WorkWorld.ts"

const bare = Projects.create(person, { organizationId, slug: "corner", files: null })
const sourceOf = (n: number) => ({ "src/index.js": `export default ${n}` })

/** Of the Project's one source: head, main, index and app. */
const isWhole = (projectId: string, source: Record<string, string>) =>
  Effect.gen(function* () {
    const head = (yield* demand("head", projectId)).record
    expect(head).toMatchObject({ generation: 0, syncedGeneration: 0 })
    const repositories = yield* Repositories
    expect(yield* repositories.main(projectId)).toEqual({ commit: head.commit, tree: head.tree })
    const files = yield* repositories.files({ project: projectId }, head.tree)
    expect([...files].map(([path, { content }]) => [path, new TextDecoder().decode(content)])).toEqual(
      Object.entries(source)
    )
    yield* (yield* ObjectStore).head(sourceIndexKey(projectId, head.tree))
    expect(yield* pointerOf(projectId)).toMatchObject({ status: "live", generation: 0, commit: head.commit })
  })

/** A source whose commit of this name finds no store, as when the process dies there. */
const cutShort = (hands: Hands, name: string, projectId: string) =>
  Effect.gen(function* () {
    hands.broken.add(name)
    expect(yield* Effect.flip(Projects.addSource(person, projectId, sourceOf(1)))).toMatchObject({
      _tag: "LedgerUnavailable"
    })
    hands.broken.delete(name)
  })

describe("The first source of a Project", () => {
  it("is one of twenty that are sent at once; the others are told that there is one", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { id } = yield* bare
        const numbers = Array.from({ length: 20 }, (_, n) => n)
        const all = yield* Effect.forEach(
          numbers,
          (n) => Effect.result(Projects.addSource(person, id, sourceOf(n % 10))),
          { concurrency: "unbounded" }
        )
        const taken = numbers.filter((n) => all[n]?._tag === "Success")
        expect(taken).toHaveLength(1)
        for (const each of all) if (each._tag === "Failure") expect(each.failure._tag).toBe("HasSource")
        yield* settleAll
        yield* isWhole(id, sourceOf(taken[0]! % 10))
        expect(yield* Effect.flip(Projects.addSource(person, id, sourceOf(taken[0]! % 10)))).toMatchObject({
          _tag: "HasSource"
        })
      })
    ))

  it("may be another one after a crash between the repository and the head: nothing was acknowledged", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* bare
        yield* cutShort(hands, "Projects.seed", id)
        expect(yield* find("head", id)).toBeNull()
        yield* Projects.addSource(person, id, sourceOf(2))
        yield* settleAll
        yield* isWhole(id, sourceOf(2))
      })
    ))

  it.each(["SourceSync.synced", "Apps.request"])("is finished by a worker after a crash at %s", (name) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* bare
        yield* cutShort(hands, name, id)
        expect(yield* Effect.flip(Projects.addSource(person, id, sourceOf(2)))).toMatchObject({ _tag: "HasSource" })
        yield* settleAll
        yield* isWhole(id, sourceOf(1))
      })
    )
  )

  it("does not bring back an app that was removed before the worker came", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* bare
        // The app is asked for, and then the process dies.
        hands.around = (commit, done) =>
          commit.name === "Apps.request" ? Effect.andThen(done, Effect.interrupt) : done
        yield* Effect.exit(Projects.addSource(person, id, sourceOf(1)))
        hands.around = (_, done) => done
        yield* remove(person, id)
        yield* settleAll
        expect(yield* pointerOf(id)).toMatchObject({ status: "removed", incarnation: 1 })
      })
    ))

  it("of a new Project stays what a person sent while its own provisioning was cut short", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.broken.add("Projects.seed")
        yield* Effect.exit(Projects.create(person, { organizationId, slug: "corner", files: sourceOf(1) }))
        hands.broken.delete("Projects.seed")
        const id = (yield* demand("slug", `${organizationId}/corner`)).record.projectId
        yield* Projects.addSource(person, id, sourceOf(2))
        yield* settleAll
        yield* isWhole(id, sourceOf(2))
        expect((yield* demand("project", id)).record.status).toBe("active")
      })
    ))
})
