import { Effect } from "effect"
import { beforeEach, expect } from "vitest"
import { deploy } from "@pawl/core/app/Apps"
import { PointerLifecycle } from "@pawl/core/model/PointerLifecycle"
import type { PointerStatus } from "@pawl/core/model/Pointer"
import { remove } from "@pawl/core/app/Removal"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Projects from "@pawl/core/project/Projects"
import { answers, organizationId, page, person, settle } from "../kit/MemoryPawl.ts"
import { deployed, isLive, pointerOf, promoted, queued, releaseOf } from "../kit/ReleaseScenes.ts"
import { eachRow } from "../kit/Rows.ts"
import { files, newProject } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const isNow = (projectId: string, status: PointerStatus) =>
  Effect.map(pointerOf(projectId), (pointer) => expect(pointer.status).toBe(status))

/** Days on which no build is left. */
const withoutBuilds = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settings, (settings) => Effect.provideService(program, Settings, { ...settings, buildsPerDay: 0 }))

/** A Project whose first build waits for a worker. */
const building = Effect.gen(function* () {
  const project = yield* Projects.create(person, { organizationId, slug: "corner", files })
  yield* deploy(project.id)
  yield* isNow(project.id, "building")
  return project
})
/** A Project whose source is nothing that can be served. */
const buildFailed = Effect.gen(function* () {
  const project = yield* Projects.create(person, {
    organizationId,
    slug: "corner",
    files: { "README.md": "nothing to serve" }
  })
  yield* settle
  yield* isNow(project.id, "build_failed")
  return project
})
const limitReached = withoutBuilds(
  Effect.gen(function* () {
    const project = yield* newProject()
    yield* isNow(project.id, "limit_reached")
    return project
  })
)

const removedFrom = <E, R>(scene: Effect.Effect<Effect.Success<typeof building>, E, R>) =>
  Effect.gen(function* () {
    const project = yield* scene
    yield* remove(person, project.id)
    yield* isNow(project.id, "removed")
    return project
  })

eachRow(PointerLifecycle, "pointer", {
  "building × built → live": Effect.flatMap(newProject(), (project) => isLive(project.id, 0)),
  "building × buildFailed → build_failed": buildFailed,
  "building × capReached → limit_reached": limitReached,
  "live × built → live": Effect.flatMap(deployed, ({ project }) => isLive(project.id, 1)),
  "live × buildFailed → live": Effect.gen(function* () {
    const { project } = yield* deployed
    const { releaseId } = yield* promoted(project, "r2")
    const objects = yield* ObjectStore
    for (const kind of ["apps", "app-previews"]) yield* objects.removePrefix(`${kind}/${project.id}/`)
    yield* withoutBuilds(settle)
    expect((yield* releaseOf(releaseId)).status).toBe("failed")
    yield* isLive(project.id, 1)
  }),
  "live × withdrawn → build_failed": Effect.gen(function* () {
    const project = yield* limitReached
    yield* promoted(project, "r1")
    answers.set("/", page(500))
    yield* settle
    expect(yield* pointerOf(project.id)).toMatchObject({ status: "build_failed", commit: null, generation: null })
  }),
  "build_failed × buildStarted → building": Effect.gen(function* () {
    const project = yield* buildFailed
    yield* deploy(project.id)
    yield* isNow(project.id, "building")
  }),
  "limit_reached × buildStarted → building": Effect.gen(function* () {
    const project = yield* limitReached
    yield* deploy(project.id)
    yield* settle
    yield* isLive(project.id, 0)
  }),
  "live × remove → removed": removedFrom(Effect.map(queued, ({ project }) => project)),
  "building × remove → removed": removedFrom(building),
  "build_failed × remove → removed": removedFrom(buildFailed),
  "limit_reached × remove → removed": removedFrom(limitReached),
  "removed × deploy → building": Effect.gen(function* () {
    const project = yield* removedFrom(newProject())
    yield* settle
    yield* deploy(project.id)
    expect(yield* pointerOf(project.id)).toMatchObject({ status: "building", incarnation: 2 })
    yield* settle
    yield* isLive(project.id, 0)
  })
})
