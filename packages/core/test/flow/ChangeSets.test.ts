import { Effect } from "effect"
import { expect, it } from "vitest"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { ObjectNotFound, Repositories } from "@pawl/core/project/Repositories"
import { person, run } from "./MemoryPawl.ts"
import { newProject, opened } from "./Scenes.ts"

it("says that the repository is away when it is, and never that a Project with an S0 has no source", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const change = yield* opened(project.id, "r1")
      const repositories = yield* Repositories
      const fork = () => Effect.fail(new ObjectNotFound({ what: "repository", id: project.id }))
      const edit = { changeId: change.id, message: "m", files: { "a.txt": "a" } }
      const refused = yield* ChangeSets.record(person, edit).pipe(
        Effect.provideService(Repositories, { ...repositories, fork }),
        Effect.flip
      )
      expect(refused).toMatchObject({ _tag: "RepositoriesUnavailable", operation: "fork" })
    })
  ))
