import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import type { Intent } from "@pawl/core/model/ChangeSet"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { isLive, releaseOf } from "../kit/ReleaseScenes.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** Takes a Change live whose added line names `/hours`, or another one, and whose ChangeSet declares these routes. */
const released = (
  intents: ReadonlyArray<Intent>,
  edits = { "src/hours.js": 'export const hours = (path) => path === "/hours"' }
) =>
  Effect.gen(function* () {
    const project = yield* newProject()
    const candidate = yield* candidateOf(project.id, "r1", edits)
    const changeSet = yield* demand("changeSet", candidate.changeSets[0] ?? "")
    yield* (yield* Ledger).commit({
      name: "test",
      projectId: project.id,
      writes: [Commit.update("changeSet", changeSet, { intents: [...changeSet.record.intents, ...intents] })]
    })
    const { releaseId } = yield* Promotions.promote(person, candidate.id)
    yield* settle
    const release = yield* releaseOf(releaseId)
    const probed = release.probes.map((probe) => `${probe.path} ${probe.status ?? probe.result}`)
    return { project, status: release.status, probed }
  })

describe("A route that a Change added", () => {
  it.each([200, 204, 401, 403])("lets the release be deployed when it answers %d", (status) =>
    run(
      Effect.gen(function* () {
        answers.set("/hours", page(status))
        const { probed, status: ended } = yield* released([])
        expect([ended, ...probed]).toEqual(["deployed", "/ 200", `/hours ${status}`])
      })
    )
  )

  it.each([404, 302, 500])("fails the release and gives back what was live when it answers %d", (status) =>
    run(
      Effect.gen(function* () {
        answers.set("/hours", page(status))
        const { project, status: ended } = yield* released([])
        expect(ended).toBe("smoke_failed")
        yield* isLive(project.id, 0)
      })
    )
  )

  it("fails the release when it does not answer at all", () =>
    run(
      Effect.gen(function* () {
        const { probed, status } = yield* released([])
        expect([status, ...probed]).toEqual(["smoke_failed", "/ 200", "/hours gap"])
      })
    ))

  it("is asked although the same lines touch others, and name what the tree's own probes ask", () =>
    run(
      Effect.gen(function* () {
        for (const path of ["/hello", "/gone"]) answers.set(path, page(path === "/gone" ? 404 : 200))
        const source = ["/", "/hello", "/gone"].map((path) => `if (path === "${path}") return one`).join("\n")
        const { probed, status } = yield* released([], { "src/hours.js": source })
        expect([status, ...probed]).toEqual(["smoke_failed", "/ 200", "/hello 200", "/gone 404"])
      })
    ))

  it("is taken from what was declared, before what the added lines name", () =>
    run(
      Effect.gen(function* () {
        answers.set("/declared", page(200))
        const { probed, status } = yield* released([{ kind: "route", value: "GET /declared", mode: "write" }])
        expect([status, ...probed]).toEqual(["deployed", "/ 200", "/declared 200"])
      })
    ))
})
