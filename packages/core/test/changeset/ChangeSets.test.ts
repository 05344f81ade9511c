import { Effect } from "effect"
import { expect, it } from "vitest"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { ObjectNotFound, Repositories } from "@pawl/core/project/Repositories"
import * as Cancellation from "@pawl/core/change/Cancellation"
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import { workspaceFork } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { person, run } from "../kit/MemoryPawl.ts"
import { newProject, opened } from "../kit/Scenes.ts"

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

it("records an edit that was made on one's newest ChangeSet on no other, and one of many that race", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const change = yield* opened(project.id, "r1")
      const send = (path: string, newest: string | null) =>
        ChangeSets.record(person, { changeId: change.id, message: "m", files: { [path]: path }, newest })
      const racing = Array.from({ length: 8 }, (_, at) => Effect.result(send(`${at}.txt`, null)))
      const ended = yield* Effect.all(racing, { concurrency: "unbounded" })
      const [first, ...others] = ended.flatMap((each) => (each._tag === "Success" ? [each.success] : []))
      expect(others).toEqual([])
      for (const each of ended)
        if (each._tag === "Failure") expect(each.failure).toMatchObject({ _tag: "InvalidField", code: "not_newest" })
      const second = yield* send("next.txt", first?.id ?? null)
      expect(second.baseCommit).toBe(first?.commit)
      expect(yield* Effect.flip(send("late.txt", first?.id ?? null))).toMatchObject({ code: "not_newest" })
    })
  ))

it("takes at most 100 ChangeSets of a Change, whoever races for the last, and says what to do", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const change = yield* opened(project.id, "r1")
      const send = (at: number) =>
        ChangeSets.record(person, {
          changeId: change.id,
          message: "m",
          files: { [`${at}.txt`]: `${at}` },
          baseGeneration: 0
        })
      for (let at = 1; at < Limits.changeSetsPerChange; at++) yield* send(at)
      const racing = [1001, 1002, 1003].map((at) => Effect.result(send(at)))
      const ended = yield* Effect.all(racing, { concurrency: "unbounded" })
      expect(ended.map(({ _tag }) => _tag).sort()).toEqual(["Failure", "Failure", "Success"])
      const refused = yield* Effect.flip(send(2000))
      expect(refused).toMatchObject({ _tag: "ChangeSetLimit", max: 100 })
      expect(refused.message).toContain("open a new Change")
      expect((yield* ChangeSets.changeSetsOf(change.id)).length).toBe(Limits.changeSetsPerChange)
      // One that is closed says so, and not that it is full.
      yield* Cancellation.cancel(person, change.id)
      expect(yield* Effect.flip(send(3000))).toMatchObject({ _tag: "ChangeClosed" })
    })
  ))

it("applies a patch to what the edit builds on: one's newest ChangeSet, or a generation, and nothing that does not fit", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const change = yield* opened(project.id, "r1")
      const repositories = yield* Repositories
      const send = (edit: Partial<ChangeSets.Edit>) =>
        ChangeSets.record(person, { changeId: change.id, message: "m", ...edit })
      const textOf = (changeSet: ChangeSet, path: string) =>
        Effect.map(
          repositories.read({ project: project.id, fork: workspaceFork(changeSet.runId) }, changeSet.tree, path),
          (bytes) => new TextDecoder().decode(bytes)
        )
      const first = yield* send({ files: { "a.txt": "one\ntwo\n", "b.txt": "b\n" } })
      const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
      const second = yield* send({ patch })
      expect(second.baseCommit).toBe(first.commit)
      expect(second.files).toEqual([{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }])
      expect(yield* textOf(second, "a.txt")).toBe("one\n2\n")
      // The same again does not fit what it has made.
      expect(yield* Effect.flip(send({ patch }))).toMatchObject({
        _tag: "PatchMisfit",
        file: "a.txt",
        hunk: 1,
        line: 3
      })
      // Nor does it fit a generation that has no such file.
      expect(yield* Effect.flip(send({ patch, baseGeneration: 0 }))).toMatchObject({ _tag: "PatchMisfit", hunk: null })
      const rename = "diff --git a/b.txt b/c.txt\nrename from b.txt\nrename to c.txt\n"
      const third = yield* send({ patch: rename })
      expect(third.files.map(({ path, status }) => [path, status])).toEqual([
        ["b.txt", "deleted"],
        ["c.txt", "added"]
      ])
      const created = "--- /dev/null\n+++ b/s0.txt\n@@ -0,0 +1 @@\n+s0\n"
      const fourth = yield* send({ patch: created, baseGeneration: 0 })
      expect(fourth.files.map(({ path }) => path)).toEqual(["s0.txt"])
    })
  ))

it("takes files or a patch, one of the two", () =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const change = yield* opened(project.id, "r1")
      const send = (edit: Partial<ChangeSets.Edit>) =>
        Effect.flip(ChangeSets.record(person, { changeId: change.id, message: "m", ...edit }))
      const both = { _tag: "InvalidField", field: "files", reason: expect.stringContaining("one of the two") }
      expect(yield* send({})).toMatchObject(both)
      expect(yield* send({ files: { "a.txt": "a" }, patch: "x" })).toMatchObject(both)
      expect(yield* send({ patch: "x\n" })).toMatchObject({ _tag: "PatchMalformed" })
      const many = Array.from(
        { length: Limits.changeSetFiles + 1 },
        (_, at) => `diff --git a/${at} b/${at}\nnew file mode 100644\n`
      )
      expect(yield* send({ patch: many.join("") })).toMatchObject({ _tag: "InvalidField", field: "patch" })
    })
  ))
