import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { copied, restored } from "../../src/repositories/RepositoryCopy.ts"
import { repositoryFixture } from "./RepositoryFixture.ts"

const fixture = repositoryFixture()

describe("A repository in a folder", () => {
  it("is carried elsewhere with its forks: each has its commits, and git finds nothing missing", async () => {
    const [here, there] = [fixture(), fixture()]
    const made = await here.run((repositories) =>
      Effect.gen(function* () {
        const { canon, cand, edit, merge, s0, ws } = yield* scene(repositories)
        const [one, two] = [
          yield* edit(ws(1), s0.commit, { "one.txt": "one" }),
          yield* edit(ws(2), s0.commit, { "two.txt": "two" })
        ]
        const both = yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit])
        const refs = [
          [ws(1), one.commit],
          [ws(2), two.commit],
          [cand(1), both.commit]
        ] as const
        const main = yield* copied(here.directory, canon, s0.commit)
        yield* restored(there.directory, canon, main!)
        for (const [ref] of refs)
          yield* restored(there.directory, ref, (yield* copied(here.directory, ref, s0.commit))!)
        // Once more it changes nothing.
        yield* restored(there.directory, canon, main!)
        return { canon, refs, s0 }
      })
    )
    expect(there.git(made.canon, ["rev-parse", "refs/heads/main"])).toBe(made.s0.commit)
    for (const [ref, commit] of [[made.canon, made.s0.commit] as const, ...made.refs]) {
      expect(there.git(ref, ["rev-list", "--objects", commit])).toBe(here.git(ref, ["rev-list", "--objects", commit]))
      there.git(ref, ["fsck", "--strict", "--connectivity-only"])
    }
  })

  it("is copied up to where it stands when what was promoted is not in it yet", async () => {
    const { directory, run } = fixture()
    const found = await run((repositories) =>
      Effect.gen(function* () {
        const { canon, edit, s0, ws } = yield* scene(repositories)
        const { commit } = yield* edit(ws(1), s0.commit, { "one.txt": "one" })
        const behind = yield* copied(directory, canon, commit)
        const fork = yield* copied(directory, ws(1), s0.commit)
        return { behind: behind?.commits, fork: fork?.commits, s0: s0.commit, commit }
      })
    )
    expect(found).toEqual({ ...found, behind: [found.s0], fork: [found.commit] })
  })

  it("that is not there is none", async () => {
    const { directory, run } = fixture()
    const found = await run((repositories) =>
      Effect.flatMap(scene(repositories), ({ ws }) => copied(directory, ws(9), null))
    )
    expect(found).toBe(null)
  })
})
