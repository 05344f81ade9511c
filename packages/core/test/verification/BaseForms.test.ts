import { rounds, seed } from "@pawl/testing/Depth"
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { type FileEdits, Repositories, TreeTooLarge } from "@pawl/core/project/Repositories"
import { changesBetween } from "@pawl/core/verification/BaseForms"

const project = "proj_00000000-0000-4000-8000-000000000001"
const signature = { name: "x", email: "x", atMs: 0 }
const base: FileEdits = { "a.txt": "a", "b/c.txt": "c", "b/d.txt": "d", é: "e" }

/** Two trees of one repository, the second made by edits. */
const twoTrees = Effect.fnUntraced(function* (edits: FileEdits) {
  const repositories = yield* Repositories
  const from = yield* repositories.seed({ project, files: base, message: "seed", signature })
  yield* repositories.begin({ project, commit: from.commit })
  const into = { project, fork: "ws-one" }
  yield* repositories.fork(into)
  const to = yield* repositories.commit({ into, base: from.commit, edits, message: "edit", signature })
  return { ref: into, from: from.tree, to: to.tree }
})

const run = <A, E>(effect: Effect.Effect<A, E, Repositories>) =>
  Effect.runPromise(Effect.provide(effect, MemoryRepositories.layerMemory))

const edits = FastCheck.dictionary(
  FastCheck.constantFrom("a.txt", "b/c.txt", "b/d.txt", "é", "new.txt", "b/new.txt", "ü/z.txt"),
  FastCheck.option(FastCheck.constantFrom("a", "c", "other\n", "more\nlines\n")),
  { minKeys: 1 }
)

describe("What changed between two trees", () => {
  it("is the same, in the same order, as their diff says", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(edits, (each) =>
        run(
          Effect.gen(function* () {
            const { from, ref, to } = yield* twoTrees(each)
            const diff = yield* (yield* Repositories).diff(ref, from, to)
            expect(yield* changesBetween(ref, from, to)).toEqual(diff.map(({ path, status }) => ({ path, status })))
          })
        )
      ),
      { seed, numRuns: rounds({ quick: 20, deep: 200 }) }
    ))

  it("takes no diff where it is little; of what is more it is the diff, and unknown where that is too large", () =>
    run(
      Effect.gen(function* () {
        const large = new TreeTooLarge({ limit: "diffBytes", max: 1, actual: 2 })
        const repositories = yield* Repositories
        const asking = (each: FileEdits) =>
          Effect.gen(function* () {
            const { from, ref, to } = yield* twoTrees(each)
            const withoutDiff = Effect.provideService(changesBetween(ref, from, to), Repositories, {
              ...repositories,
              diff: () => large
            })
            return { told: yield* changesBetween(ref, from, to), withoutDiff: yield* withoutDiff }
          })
        const little = yield* asking({ "a.txt": "other" })
        expect(little.withoutDiff).toEqual([{ path: "a.txt", status: "modified" }])
        const long = yield* asking({ "a.txt": "x".repeat(Limits.listedChangeBytes + 1) })
        expect(long).toEqual({ told: [{ path: "a.txt", status: "modified" }], withoutDiff: null })
        const paths = Array.from({ length: Limits.listedChanges + 1 }, (_, n) => `many/${n}.txt`)
        const many = yield* asking(Object.fromEntries(paths.map((path) => [path, "x"])))
        expect(many.told).toHaveLength(paths.length)
        expect(many.withoutDiff).toBeNull()
      })
    ))
})
