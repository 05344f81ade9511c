/** Merges of two sides, by their listings where that can be, beside git's own merge of the same commits. */
import { rounds, seed } from "@pawl/testing/Depth"
import { Effect, Layer, Result } from "effect"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { type FileEdits, Repositories } from "@pawl/core/project/Repositories"
import { projectId, scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { layer } from "../../src/repositories/GitRepositories.ts"
import { Processes } from "../../src/spawner/Processes.ts"
import { startHere } from "../../src/spawner/StartHere.ts"
import type { Starter } from "../../src/spawner/Starter.ts"
import { repositoryFixture } from "./RepositoryFixture.ts"

const fixture = repositoryFixture()

const base: FileEdits = {
  "a.txt": "a\n".repeat(8),
  "b.txt": "b\n".repeat(8),
  "src/c.txt": "c\n".repeat(8),
  "src/deep/d.txt": "d\n".repeat(8)
}
const paths = [...Object.keys(base), "src/new.txt", "src/deep/new.txt", "lib/new.txt", "lib", "src/deep/d.txt/under"]

/** What one side does: files written, taken away, or moved elsewhere. */
const side = FastCheck.array(
  FastCheck.record({
    path: FastCheck.constantFrom(...paths),
    what: FastCheck.constantFrom("write", "write", "write", "write", "delete", "move"),
    word: FastCheck.constantFrom("one", "two", "three")
  }),
  { minLength: 1, maxLength: 3, size: "max" }
).map((all) => {
  const edits: Record<string, string | null> = {}
  for (const { path, what, word } of all) {
    if (what === "write") edits[path] = `${word}\n${(base[path] as string | undefined) ?? ""}`
    else edits[path] = null
    if (what === "move") edits[`moved/${word}.txt`] = (base[path] as string | undefined) ?? word
  }
  return edits
})

/** Repositories that tell how often `merge-tree` was started. */
const counted = (directory: string) => {
  const started: Array<string> = []
  const start: Starter = (program) => {
    if (program.args.includes("merge-tree")) started.push("merge-tree")
    return startHere(program)
  }
  return { started, layer: Layer.provideMerge(layer({ directory }), Layer.succeed(Processes, start)) }
}

const isRight = <A, E>(result: Result.Result<A, E>): result is Result.Success<A, E> => Result.isSuccess(result)

describe("A merge", () => {
  it("gives git's own tree of random sides, with git and without, and a conflict where git has one", async () => {
    const { directory, git } = fixture()
    const { layer: repositoriesLayer, started } = counted(directory)
    let [merges, conflicts, n] = [0, 0, 0]
    const property = (run: (effect: Effect.Effect<void, unknown, Repositories>) => Promise<void>) =>
      FastCheck.asyncProperty(side, side, (ours, theirs) =>
        run(
          Effect.gen(function* () {
            const repositories = yield* Repositories
            const { cand, edit, merge, s0, ws } = yield* scene(repositories, projectId(++n), base)
            const [one, two] = [
              yield* Effect.result(edit(ws(1), s0.commit, ours)),
              yield* Effect.result(edit(ws(2), s0.commit, theirs))
            ]
            // A file where a folder is cannot be written.
            if (!isRight(one) || !isRight(two)) return
            const first = yield* merge(cand(1), s0.commit, [ws(1), one.success.commit])
            const merged = yield* Effect.result(
              merge(cand(1), s0.commit, [ws(1), one.success.commit], [ws(2), two.success.commit])
            )
            const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]
            const settings = ["-c", "merge.directoryRenames=false"]
            let said: ReadonlyArray<string>
            try {
              said = git(cand(1), [...settings, ...args, first.commit, two.success.commit]).split("\0")
            } catch (failure) {
              expect(merged).toMatchObject({ failure: { _tag: "MergeConflict" } })
              expect(failure).toMatchObject({ status: 1 })
              conflicts++
              return
            }
            if (isRight(merged)) merges++
            // What git merges may be no tree of ours.
            else return expect(merged).toMatchObject({ failure: { _tag: "InvalidPath" } })
            expect(merged.success.tree).toBe(said[0])
            const listed = git(cand(1), ["ls-tree", "-r", "--name-only", "-z", merged.success.tree])
            expect([...(yield* repositories.files(cand(1), merged.success.tree)).keys()].toSorted()).toEqual(
              listed
                .split("\0")
                .filter((path) => path !== "")
                .toSorted()
            )
            git(cand(1), ["fsck", "--strict", merged.success.commit])
          })
        )
      )
    const checked = Effect.gen(function* () {
      const context = yield* Effect.context<Repositories>()
      const run = (effect: Effect.Effect<void, unknown, Repositories>) =>
        Effect.runPromise(Effect.provide(effect, context))
      yield* Effect.promise(() =>
        FastCheck.assert(property(run), { numRuns: rounds({ quick: 10, deep: 60, long: 600 }), seed })
      )
    })
    await Effect.runPromise(Effect.provide(checked, repositoriesLayer))
    console.log(`${merges} merges and ${conflicts} conflicts; git was started for ${started.length}`)
    expect(merges).toBeGreaterThan(0)
    // Each round merges twice.
    expect(started.length).toBeLessThan(2 * n)
  }, 1_100_000)

  it.each<[string, FileEdits, FileEdits, number]>([
    ["touch other files", { "a.txt": "1\n", "src/x.txt": "x\n" }, { "b.txt": "2\n", "src/y.txt": "y\n" }, 0],
    ["made the same change", { "a.txt": "1\n" }, { "a.txt": "1\n", "b.txt": "2\n" }, 0],
    ["touch one file", { "a.txt": "1\n" + "a\n".repeat(8) }, { "a.txt": "a\n".repeat(8) + "2\n" }, 1],
    ["have lost a file", { "a.txt": null }, { "b.txt": "2\n" }, 1],
    [
      "moved a file that the other changed",
      { "a.txt": null, "moved.txt": base["a.txt"] ?? "" },
      { "a.txt": "a\n".repeat(8) + "2\n" },
      1
    ]
  ])("of sides that %s asks git as often as it must", async (_, ours, theirs, times) => {
    const { directory } = fixture()
    const { layer: repositoriesLayer, started } = counted(directory)
    const merging = Effect.gen(function* () {
      const repositories = yield* Repositories
      const { cand, edit, merge, s0, ws } = yield* scene(repositories, projectId(1), base)
      const one = yield* edit(ws(1), s0.commit, ours)
      const two = yield* edit(ws(2), s0.commit, theirs)
      yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit])
    })
    await Effect.runPromise(Effect.provide(merging, repositoriesLayer))
    expect(started).toHaveLength(times)
  })
})
