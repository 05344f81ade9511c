/** What every `Repositories` promises of merges. Part of `RepositoriesContract`. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Run, scene, signature, tagOf, textFiles, unknownId } from "./RepositoriesScene.ts"

/** Declares the tests, to be run within a suite. */
export const declareMerges = (run: Run): void => {
  it("merges commits of several forks in order, reproducibly, and needs those forks no longer", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { "src/a.ts": "A\n", "one/x": "1" })
        const two = yield* edit(ws(2), s0.commit, { "src/b.ts": "B\n", "README.md": null })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit])
        expect(yield* merge(cand(2), s0.commit, [ws(1), one.commit], [ws(2), two.commit])).toEqual(merged)
        yield* repositories.remove(ws(1))
        yield* repositories.remove(ws(2))
        expect(yield* textFiles(repositories, cand(1), merged.tree)).toEqual({
          "src/a.ts": "A\n",
          "src/b.ts": "B\n",
          "src/deep/c.ts": "c\n",
          "one/x": "1"
        })
        expect(yield* repositories.resolve(cand(1), merged.commit)).toEqual(merged)
      })
    ))

  it("merges commits that stack, each with a commit of its own, and skips what the line holds already", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const first = yield* edit(ws(1), s0.commit, { "src/a.ts": "1\n" })
        const second = yield* edit(ws(2), first.commit, { "src/a.ts": "2\n", new: "n" }, [ws(1)])
        const stacked = yield* merge(cand(1), s0.commit, [ws(1), first.commit], [ws(2), second.commit])
        expect(stacked.tree).toBe(second.tree)
        expect(stacked.commit).not.toBe(second.commit)
        const alone = yield* merge(cand(2), s0.commit, [ws(2), second.commit])
        expect(alone.tree).toBe(second.tree)
        expect(alone.commit).not.toBe(second.commit)
        expect(yield* merge(cand(2), s0.commit, [ws(2), second.commit], [ws(1), first.commit])).toEqual(alone)
        expect(yield* merge(cand(2), s0.commit, [{ project: cand(2).project }, s0.commit])).toEqual(s0)
        expect(yield* merge(cand(2), s0.commit)).toEqual(s0)
      })
    ))

  it("merges onto what another fork has merged, named where its base may be, and needs that fork no longer", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { "src/a.ts": "A\n" })
        const two = yield* edit(ws(2), s0.commit, { "src/b.ts": "B\n" })
        const ahead = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        yield* repositories.fork(cand(2))
        const commits = [{ commit: two.commit, from: ws(2), message: "merge" }]
        const onto = { into: cand(2), base: ahead.commit, commits, signature }
        expect(yield* tagOf(repositories.merge(onto))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.merge({ ...onto, from: [cand(3)] }))).toBe("ObjectNotFound")
        const behind = yield* repositories.merge({ ...onto, from: [cand(1)] })
        expect(yield* repositories.parents(cand(2), behind.commit)).toEqual([ahead.commit, two.commit])
        yield* repositories.remove(cand(1))
        expect(yield* textFiles(repositories, cand(2), behind.tree)).toMatchObject({
          "src/a.ts": "A\n",
          "src/b.ts": "B\n"
        })
        expect(yield* repositories.resolve(cand(2), ahead.commit)).toEqual(ahead)
      })
    ))

  it("names every path in conflict, and works on after it", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, {
          "src/a.ts": "1\n",
          "src/b.ts": "1\n",
          é: "1\n",
          same: "s\n",
          "README.md": null
        })
        const two = yield* edit(ws(2), s0.commit, {
          "src/a.ts": "2\n",
          é: "2\n",
          same: "s\n",
          "src/deep/c.ts": "2\n",
          "README.md": "# two\n"
        })
        expect(yield* Effect.flip(merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit]))).toMatchObject({
          _tag: "MergeConflict",
          paths: ["README.md", "src/a.ts", "é"]
        })
        const three = yield* edit(ws(3), s0.commit, { "src/deep/c.ts": "3\n" })
        expect((yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(3), three.commit])).tree).toMatch(
          /^[0-9a-f]{40}$/
        )
      })
    ))

  it("has files as they are given, which are in no conflict, reproducibly", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { "src/a.ts": "1\n", "src/b.ts": "1\n" })
        const two = yield* edit(ws(2), s0.commit, { "src/a.ts": "2\n", two: "2\n" })
        const merge = (into: ReturnType<typeof cand>, contents: Readonly<Record<string, string>>) =>
          Effect.andThen(
            repositories.fork(into),
            repositories.merge({
              into,
              base: s0.commit,
              commits: [
                { from: ws(1), commit: one.commit, message: "one" },
                {
                  from: ws(2),
                  commit: two.commit,
                  message: "two",
                  contents: new Map(Object.entries(contents).map(([path, each]) => [path, utf8(each)]))
                }
              ],
              signature
            })
          )
        const given = { "src/a.ts": "both\n", "src/deep/new.ts": "made\n", "README.md": "# told\n" }
        const merged = yield* merge(cand(1), given)
        expect(yield* textFiles(repositories, cand(1), merged.tree)).toEqual({
          "README.md": "# told\n",
          "src/a.ts": "both\n",
          "src/b.ts": "1\n",
          "src/deep/c.ts": "c\n",
          "src/deep/new.ts": "made\n",
          two: "2\n"
        })
        expect((yield* repositories.parents(cand(1), merged.commit))[1]).toBe(two.commit)
        expect(yield* merge(cand(2), given)).toEqual(merged)
        expect(yield* Effect.flip(merge(cand(3), { "README.md": "# told\n" }))).toMatchObject({
          _tag: "MergeConflict",
          paths: ["src/a.ts"]
        })
        expect(yield* tagOf(merge(cand(4), { "src/a.ts": "both\n", ".git/x": "no" }))).toBe("InvalidPath")
      })
    ))

  it("takes a file against a directory for a conflict, and names that differ in case for an invalid path", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const file = yield* edit(ws(1), s0.commit, { thing: "file\n" })
        const directory = yield* edit(ws(2), s0.commit, { "thing/x": "inside\n" })
        const upper = yield* edit(ws(3), s0.commit, { Thing: "upper\n" })
        expect(
          yield* Effect.flip(merge(cand(1), s0.commit, [ws(1), file.commit], [ws(2), directory.commit]))
        ).toMatchObject({ _tag: "MergeConflict", paths: ["thing"] })
        expect(yield* tagOf(merge(cand(1), s0.commit, [ws(1), file.commit], [ws(3), upper.commit]))).toBe("InvalidPath")
      })
    ))

  it("refuses a merge that is too large only as a whole", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const half = (prefix: string) =>
          Object.fromEntries(Array.from({ length: Limits.sourceEntries / 2 }, (_, i) => [`${prefix}/${i}`, ""]))
        const one = yield* edit(ws(1), s0.commit, half("one"))
        const two = yield* edit(ws(2), s0.commit, half("two"))
        expect(yield* tagOf(merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit]))).toBe("TreeTooLarge")
      })
    ))

  it("answers ObjectNotFound, never a conflict, for commits and forks that are not there", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        for (const attempt of [
          merge(cand(2), s0.commit, [ws(9), one.commit]),
          merge(cand(1), s0.commit, [ws(1), unknownId]),
          merge(cand(1), unknownId, [ws(1), one.commit]),
          merge(cand(1), s0.commit, [ws(1), "--help"]),
          merge(cand(1), s0.commit, [ws(1), one.tree]),
          merge(cand(1), s0.tree, [ws(1), one.commit]),
          repositories.merge({ into: cand(5), base: s0.commit, commits: [], signature })
        ])
          expect(yield* tagOf(attempt)).toBe("ObjectNotFound")
      })
    ))
}
