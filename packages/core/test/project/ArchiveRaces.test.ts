import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { deploy } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand, find } from "@pawl/core/ledger/Decision"
import { archive } from "@pawl/core/project/Archival"
import type { Project } from "@pawl/core/model/Project"
import * as Projects from "@pawl/core/project/Projects"
import * as Audits from "@pawl/core/audit/Audits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { persons } from "../change/ChangeScenes.ts"
import { organizationId, person, settle } from "../kit/MemoryPawl.ts"
import { inWorld, newProject, open, type Services, settleAll } from "../kit/WorkWorld.ts"

/** A Change with a person's edit. */
const edited = (projectId: string) =>
  Effect.gen(function* () {
    const changeId = yield* open(projectId, { startPlanning: false })
    yield* ChangeSets.record(person, { changeId, message: "m", files: { "a.txt": "a" } })
    return changeId
  })

const bare = Effect.suspend(() => Projects.create(person, { organizationId, slug: "bare", files: null }))

/** Asks for work, once all that it stands on is there. */
type Ready = (project: Project) => Effect.Effect<Effect.Effect<unknown, unknown, Services>, unknown, Services>

/** By the commit that would begin the work. */
const works: Readonly<Record<string, Ready>> = {
  "Changes.open": ({ id: projectId }) =>
    Effect.succeed(Changes.open(person, { projectId, clientRequestId: "new", goal: "g", budgetUsd: 1 })),
  "ChangeSets.record": ({ id }) =>
    Effect.map(open(id, { startPlanning: false }), (changeId) =>
      ChangeSets.record(person, { changeId, message: "m", files: { "a.txt": "a" } })
    ),
  "Candidates.request": ({ id }) => Effect.map(edited(id), (changeId) => Candidates.request(person, { changeId })),
  "Promotions.swap": ({ id }) => Effect.map(persons(id), ({ candidateId }) => Promotions.promote(person, candidateId)),
  "Rollbacks.request": ({ id: projectId }) =>
    Effect.gen(function* () {
      const { candidateId } = yield* persons(projectId)
      yield* Promotions.promote(person, candidateId)
      yield* settle
      return Rollbacks.request(person, { projectId, targetGeneration: 0, expectedGeneration: 1 })
    }),
  "Apps.request": ({ id }) => Effect.andThen(Effect.andThen(remove(person, id), settle), Effect.succeed(deploy(id))),
  "Projects.seed": ({ id }) => Effect.succeed(Projects.addSource(person, id, { "index.js": "x" })),
  "Audits.run": ({ id }) => Effect.succeed(Audits.run(id))
}

describe("A Project that is archived just before work begins", () => {
  it.each(Object.keys(works))("takes none: %s", (name) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* name === "Projects.seed" ? bare : newProject
        const work = yield* works[name]!(project)
        const head = yield* find("head", project.id)
        let raced = false
        hands.before.set(
          name,
          Effect.tap(archive(person, project.id), () => Effect.sync(() => void (raced = true)))
        )
        expect(yield* Effect.flip(work)).toMatchObject({ _tag: "ProjectArchived" })
        expect(raced).toBe(true)
        yield* settleAll
        expect((yield* demand("project", project.id)).record.status).toBe("archived")
        expect((yield* find("head", project.id))?.record.generation).toBe(head?.record.generation)
        const pointer = yield* find("pointer", `${project.id}/production`)
        if (pointer !== null) expect(pointer.record).toMatchObject({ status: "removed", leftovers: false })
      })
    )
  )
})
