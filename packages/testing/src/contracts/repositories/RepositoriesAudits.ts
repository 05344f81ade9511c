/** What every `Repositories` promises to an audit: where a commit came from, and the merge of one file. Part of `RepositoriesContract`. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { projectId, type Run, scene, signature, tagOf, text, unknownId } from "./RepositoriesScene.ts"

const bytes = (content: string): Uint8Array => new TextEncoder().encode(content)
const contents = (base: string, ours: string, theirs: string) => ({
  base: bytes(base),
  ours: bytes(ours),
  theirs: bytes(theirs)
})

/** Declares the tests, to be run within a suite. */
export const declareAudits = (run: Run): void => {
  it("names the parents of a commit in order, also when the forks of its making are gone", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, canon, edit, merge, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        const two = yield* edit(ws(2), s0.commit, { y: "2" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit])
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        for (const ref of [ws(1), ws(2), cand(1)]) yield* repositories.remove(ref)
        const [first = "", second] = yield* repositories.parents(canon, merged.commit)
        expect(second).toBe(two.commit)
        expect(yield* repositories.parents(canon, first)).toEqual([s0.commit, one.commit])
        expect(yield* repositories.parents(canon, one.commit)).toEqual([s0.commit])
        expect(yield* repositories.parents(canon, s0.commit)).toEqual([])
        for (const id of [unknownId, "main", "--help", s0.tree])
          expect(yield* tagOf(repositories.parents(canon, id))).toBe("ObjectNotFound")
      })
    ))

  it("gives a commit of a given tree exactly the parents that it was made with", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        yield* repositories.fork(cand(1))
        const options = { tree: s0.tree, message: "back", signature }
        const made = yield* repositories.commitTree({ ...options, into: ws(1), parents: [one.commit] })
        expect(made.tree).toBe(s0.tree)
        expect(yield* repositories.resolve(ws(1), made.commit)).toEqual(made)
        expect(yield* repositories.parents(ws(1), made.commit)).toEqual([one.commit])
        expect(yield* repositories.commitTree({ ...options, into: ws(1), parents: [one.commit] })).toEqual(made)
        expect(yield* tagOf(repositories.commitTree({ ...options, into: cand(1), parents: [unknownId] }))).toBe(
          "ObjectNotFound"
        )
      })
    ))

  it("merges one file when one side left it alone or both did the same, and never invents a merge of a conflict", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { canon, cand } = yield* scene(repositories)
        const merge = (base: string, ours: string, theirs: string) =>
          Effect.map(repositories.mergeFile(canon, contents(base, ours, theirs)), (merged) =>
            merged === null ? null : text(merged)
          )
        expect(yield* merge("a\n", "b\n", "a\n")).toBe("b\n")
        expect(yield* merge("a\n", "a\n", "b\n")).toBe("b\n")
        expect(yield* merge("a\n", "b\n", "b\n")).toBe("b\n")
        expect(yield* merge("", "", "")).toBe("")
        expect(yield* merge("a\n", "b\n", "c\n")).toBe(null)
        expect(yield* merge("", "b\n", "c\n")).toBe(null)
        expect(yield* merge("\0a", "\0b", "\0c")).toBe(null)
        expect(yield* tagOf(repositories.mergeFile({ project: projectId(8) }, contents("", "", "")))).toBe(
          "ObjectNotFound"
        )
        expect(yield* tagOf(repositories.mergeFile(cand(9), contents("", "", "")))).toBe("ObjectNotFound")
      })
    ))
}
