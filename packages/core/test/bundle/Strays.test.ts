import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { requestApp } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import type { CommandKind } from "@pawl/core/model/Command"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { archive } from "@pawl/core/project/Archival"
import * as Projects from "@pawl/core/project/Projects"
import { Repositories } from "@pawl/core/project/Repositories"
import { organizationId, person } from "../kit/MemoryPawl.ts"
import { isLive, pointerOf, promoted } from "../kit/ReleaseScenes.ts"
import { askedFor, files } from "../kit/Scenes.ts"
import { keysUnder, runOne } from "../kit/UpkeepScenes.ts"
import { inWorld, newProject, open, planned, type Services, settleAll } from "../kit/WorkWorld.ts"

const bundles = ["apps", "app-previews"]
const allKinds = [...bundles, "source", "context", "changesets", "work-graphs"]

const left = (projectId: string, kinds: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(kinds, (kind) => keysUnder(`${kind}/${projectId}/`)),
    (keys) => keys.flat()
  )

/** A worker of this kind of command, stopped where it is about to store the last part of a bundle. */
const building = (kind: CommandKind) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const stop = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn))
    const objects = yield* ObjectStore
    const isLast = (key: string) => /^app(?:s|-previews)\/.*\/bundle\.json$/.test(key)
    const worker = yield* runOne(kind).pipe(
      Effect.provideService(ObjectStore, {
        ...objects,
        put: (key, body) => (isLast(key) ? Effect.andThen(stop, objects.put(key, body)) : objects.put(key, body)),
        copy: (from, to) => (isLast(to) ? Effect.andThen(stop, objects.copy(from, to)) : objects.copy(from, to))
      }),
      Effect.forkChild
    )
    yield* Deferred.await(reached)
    return Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(worker))
  })

type Scene = Effect.Effect<string, unknown, Services>

/** A Project whose next work of this kind builds or copies a bundle. */
const scenes: Readonly<Record<string, readonly [CommandKind, Scene]>> = {
  "a deploy": [
    "app.provision",
    Effect.map(Projects.create(person, { organizationId, slug: "corner", files }), ({ id }) => id)
  ],
  "a release": ["release.run", Effect.flatMap(newProject, (project) => Effect.as(promoted(project, "r1"), project.id))],
  "a release that must build": [
    "release.run",
    Effect.gen(function* () {
      const project = yield* newProject
      yield* promoted(project, "r1")
      const objects = yield* ObjectStore
      for (const kind of bundles) yield* objects.removePrefix(`${kind}/${project.id}/`)
      return project.id
    })
  ],
  "a Candidate's build": [
    "candidate.create",
    Effect.flatMap(newProject, ({ id }) => Effect.as(askedFor(id, "r1", { "a.txt": "a" }), id))
  ]
}

const sweep = Effect.gen(function* () {
  const command = { kind: "retention.sweep" as const, id: "retention.sweep:test", payload: {} }
  yield* (yield* Ledger).commit({ name: "test", projectId: null, commands: [command] })
  yield* settleAll
})

describe("A build under way", () => {
  it.each(Object.entries(scenes))("leaves nothing behind when its app is removed meanwhile: %s", (_, [kind, scene]) =>
    inWorld(() =>
      Effect.gen(function* () {
        const id = yield* scene
        const finish = yield* building(kind)
        yield* remove(person, id)
        yield* settleAll
        yield* finish
        yield* settleAll
        expect(yield* left(id, bundles)).toEqual([])
        expect(yield* pointerOf(id)).toMatchObject({ status: "removed", leftovers: false })
        yield* requestApp(id)
        yield* settleAll
        const { generation } = (yield* demand("head", id)).record
        yield* isLive(id, generation)
        expect(yield* keysUnder(`apps/${id}/`)).toContain((yield* pointerOf(id)).bundleKey)
      })
    )
  )

  it.each(Object.entries(scenes))(
    "leaves nothing behind when its Project is archived meanwhile: %s",
    (_, [kind, scene]) =>
      inWorld(() =>
        Effect.gen(function* () {
          const id = yield* scene
          const finish = yield* building(kind)
          yield* archive(person, id)
          yield* settleAll
          yield* finish
          yield* settleAll
          expect((yield* demand("project", id)).record.cleanedAt).not.toBeNull()
          expect(yield* left(id, allKinds)).toEqual([])
        })
      )
  )

  it("leaves nothing behind when it ends between the cleaning's deletion and its end", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id } = yield* Projects.create(person, { organizationId, slug: "corner", files })
        const finish = yield* building("app.provision")
        yield* remove(person, id)
        hands.before.set("Removal.cleaned", finish)
        yield* settleAll
        expect(yield* left(id, bundles)).toEqual([])
        expect(yield* pointerOf(id)).toMatchObject({ status: "removed", leftovers: false })
      })
    ))
})

describe("A plan under way", () => {
  it("leaves no Work Graph of a Project that is archived meanwhile", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        hands.plan = () =>
          Effect.as(Effect.andThen(Effect.orDie(archive(person, project.id)), Effect.orDie(settleAll)), [planned("a")])
        yield* open(project.id)
        yield* settleAll
        expect((yield* demand("project", project.id)).record.cleanedAt).not.toBeNull()
        expect(yield* left(project.id, allKinds)).toEqual([])
      })
    ))
})

describe("What a process that died left of what was cleaned away", () => {
  it("is found by the daily look: of an archived Project, its Work Graphs and repository too", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { id } = yield* newProject
        yield* open(id)
        yield* settleAll
        expect(yield* left(id, ["work-graphs"])).toHaveLength(1)
        yield* archive(person, id)
        yield* settleAll
        expect(yield* left(id, allKinds)).toEqual([])
        const objects = yield* ObjectStore
        const repositories = yield* Repositories
        const signature = { name: "a", email: "b", atMs: 0 }
        const seeded = yield* repositories.seed({ project: id, files: { a: "a" }, message: "late", signature })
        for (const kind of allKinds) yield* objects.put(`${kind}/${id}/late.json`, new Uint8Array([1]))
        yield* sweep
        expect(yield* left(id, allKinds)).toEqual([])
        expect((yield* demand("project", id)).record.cleanedAt).not.toBeNull()
        expect(yield* Effect.flip(repositories.resolve({ project: id }, seeded.commit))).toMatchObject({
          _tag: "ObjectNotFound"
        })
      })
    ))

  it("is found by the daily look: of a removed app; what a live one serves stays", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const { id } = yield* newProject
        const there = yield* left(id, bundles)
        yield* sweep
        expect(yield* left(id, bundles)).toEqual(there)
        yield* remove(person, id)
        yield* settleAll
        const objects = yield* ObjectStore
        for (const kind of bundles) yield* objects.put(`${kind}/${id}/late/bundle.json`, new Uint8Array([1]))
        yield* sweep
        expect(yield* left(id, bundles)).toEqual([])
        expect(yield* pointerOf(id)).toMatchObject({ status: "removed", leftovers: false })
      })
    ))
})
