import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { FileEdits } from "@pawl/core/project/Repositories"
import { base, scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { repositoryFixture } from "./RepositoryFixture.ts"

const fixture = repositoryFixture()

/** What a side does to a tree of files, folders and folders in folders. */
const sides: ReadonlyArray<FileEdits> = [
  { "src/a.ts": "a\nmore\n" },
  { "src/deep/er/d.ts": "d\n", "other/e.ts": "e\n", "ünï/ö.ts": "o\n" },
  { "src/deep/c.ts": null },
  { "README.md": null, "src-b/a.ts": "a\n", "src.ts": "s\n", src0: "0\n" },
  { "src/b.ts": null, "src/b.ts/now-a-folder.ts": "f\n" },
  { "src/a.ts": null, "src/b.ts": null, "src/deep/c.ts": null, src: "now a file\n" }
]

const byPath = ([a]: ReadonlyArray<unknown>, [b]: ReadonlyArray<unknown>): number => (String(a) < String(b) ? -1 : 1)

describe("KnownTrees", () => {
  it("list a merged tree, out of what was known before the merge, as git lists it", async () => {
    const { git, run } = fixture()
    const made = await run((repositories) =>
      Effect.gen(function* () {
        const { canon, cand, edit, merge, s0, ws } = yield* scene(repositories, undefined, {
          ...base,
          "public/x.svg": "x",
          "public/y/z.svg": "z"
        })
        // Known from here on, so that each merge is listed beside it.
        yield* repositories.list(canon, s0.tree)
        const ours = yield* edit(ws(100), s0.commit, { "public/x.svg": "other" })
        return yield* Effect.forEach(sides, (edits, n) =>
          Effect.gen(function* () {
            const { commit } = yield* edit(ws(n), s0.commit, edits)
            const { tree } = yield* merge(cand(n), s0.commit, [ws(100), ours.commit], [ws(n), commit])
            return { ref: cand(n), tree, entries: yield* repositories.list(cand(n), tree) }
          })
        )
      })
    )
    for (const { entries, ref, tree } of made) {
      const listed = git(ref, ["ls-tree", "-r", "-t", "-l", "-z", tree]).split("\0").slice(0, -1)
      const told = listed.map((line) => /^(\d+) (\w+) (\w+) +(\S+)\t(.*)$/s.exec(line)?.slice(1) ?? [])
      expect(
        [...entries].map(({ executable, id, path, size, type }) => [path, type, id, size, executable]).toSorted(byPath)
      ).toEqual(
        told
          .map(([mode, type, id, size, path]) => [
            path,
            type === "tree" ? "directory" : "file",
            id,
            type === "tree" ? 0 : Number(size),
            mode === "100755"
          ])
          .toSorted(byPath)
      )
    }
    expect(made.length).toBe(sides.length)
  })
})
